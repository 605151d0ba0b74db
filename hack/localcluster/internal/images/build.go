package images

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/kvbench/kvbench/hack/localcluster/internal/scratch"
)

// Spec is an image to build.
type Spec struct {
	// Refs are its names, with registry and tag.
	Refs []string
	// Bases are tar files of root file systems, below everything else.
	Bases []string
	// Files of this machine by their path in the image; a folder brings all in it.
	Files map[string]string
	// Texts are small files by their path in the image.
	Texts map[string]string
	// Dirs are folders by path, with their mode.
	Dirs       map[string]int64
	Entrypoint []string
	Cmd        []string
	Env        []string
	User       string
	WorkingDir string
}

const defaultPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// Build writes the image to out as an OCI archive.
func Build(s Spec, out string) error {
	if len(s.Refs) == 0 {
		return errors.New("an image needs a name, such as quay.io/x/y:v1")
	}
	temp, remove, err := scratch.Dir(filepath.Dir(out))
	if err != nil {
		return err
	}
	defer remove()

	own := filepath.Join(temp, "layer.tar")
	if err := s.writeLayer(own); err != nil {
		return err
	}
	image := mutate.MediaType(mutate.ConfigMediaType(empty.Image, types.OCIConfigJSON), types.OCIManifestSchema1)
	for _, file := range append(append([]string{}, s.Bases...), own) {
		l, err := openLayer(file)
		if err != nil {
			return err
		}
		if image, err = mutate.AppendLayers(image, l); err != nil {
			return err
		}
	}
	config, err := image.ConfigFile()
	if err != nil {
		return err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture = "linux", runtime.GOARCH
	config.Created = v1.Time{Time: time.Unix(0, 0).UTC()}
	config.Config = v1.Config{
		Entrypoint: s.Entrypoint, Cmd: s.Cmd, User: s.User, WorkingDir: s.WorkingDir,
		Env: environment(s.Env),
	}
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return err
	}
	archive := filepath.Join(temp, "image.tar")
	if err := writeArchive(image, s.Refs, archive); err != nil {
		return fmt.Errorf("writing the image %s: %w", s.Refs[0], err)
	}
	return os.Rename(archive, out)
}

// environment has a PATH in any case, and never two.
func environment(env []string) []string {
	if slices.ContainsFunc(env, func(pair string) bool { return strings.HasPrefix(pair, "PATH=") }) {
		return env
	}
	return append([]string{defaultPath}, env...)
}

// writeLayer makes the tar file of what isn't in the bases.
func (s Spec) writeLayer(file string) error {
	c := contents{}
	if len(s.Bases) == 0 {
		// What programs expect even where there is nothing else.
		c.dir("tmp", 0o1777)
		c.text("etc/passwd", "root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\n")
		c.text("etc/group", "root:x:0:\nnonroot:x:65532:\nnobody:x:65534:\n")
		c.text("etc/nsswitch.conf", "hosts: files dns\n")
	}
	for p, mode := range s.Dirs {
		c.dir(p, mode)
	}
	for p, text := range s.Texts {
		c.text(p, text)
	}
	for p, source := range s.Files {
		if err := c.add(p, source); err != nil {
			return fmt.Errorf("adding %s to the image: %w", p, err)
		}
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(c.write(f), f.Close())
}

// nameAnnotation is where containerd's import looks for an image's name.
const nameAnnotation = "io.containerd.image.name"

// writeArchive writes an OCI archive, its index first, so that its names and
// digests can be read without going through all of it.
func writeArchive(image v1.Image, refs []string, file string) error {
	manifest, err := image.RawManifest()
	if err != nil {
		return err
	}
	digest, err := image.Digest()
	if err != nil {
		return err
	}
	index := v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex}
	for _, ref := range refs {
		index.Manifests = append(index.Manifests, v1.Descriptor{
			MediaType: types.OCIManifestSchema1, Size: int64(len(manifest)), Digest: digest,
			Platform:    &v1.Platform{OS: "linux", Architecture: runtime.GOARCH},
			Annotations: map[string]string{nameAnnotation: ref, "org.opencontainers.image.ref.name": ref},
		})
	}
	indexJSON, err := json.Marshal(index)
	if err != nil {
		return err
	}
	configJSON, err := image.RawConfigFile()
	if err != nil {
		return err
	}
	configName, err := image.ConfigName()
	if err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	archive := tar.NewWriter(f)
	put := func(name string, size int64) error {
		return archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: size, ModTime: time.Unix(0, 0)})
	}
	small := func(name string, content []byte) error {
		if err := put(name, int64(len(content))); err != nil {
			return err
		}
		_, err := archive.Write(content)
		return err
	}
	if err := errors.Join(
		small("index.json", indexJSON),
		small("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`)),
		small("blobs/sha256/"+digest.Hex, manifest),
		small("blobs/sha256/"+configName.Hex, configJSON),
	); err != nil {
		return err
	}
	layers, err := image.Layers()
	if err != nil {
		return err
	}
	for _, l := range layers {
		if err := putLayer(archive, put, l); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), f.Sync())
}

func putLayer(archive io.Writer, put func(string, int64) error, l v1.Layer) error {
	digest, err := l.Digest()
	if err != nil {
		return err
	}
	size, err := l.Size()
	if err != nil {
		return err
	}
	if err := put("blobs/sha256/"+digest.Hex, size); err != nil {
		return err
	}
	content, err := l.Compressed()
	if err != nil {
		return err
	}
	defer content.Close()
	_, err = io.Copy(archive, content)
	return err
}
