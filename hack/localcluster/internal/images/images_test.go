package images

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/hack/localcluster/internal/progress"
)

func write(t *testing.T, file, content string, mode os.FileMode) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestTheSameContentGivesTheSameDigest(t *testing.T) {
	dir := t.TempDir()
	program := write(t, filepath.Join(dir, "program"), "x", 0o755)
	spec := Spec{Refs: []string{"example.org/a:v1"}, Files: map[string]string{"/bin/program": program}, Entrypoint: []string{"/bin/program"}}
	build := func(name string, s Spec) map[string]string {
		t.Helper()
		out := filepath.Join(dir, name)
		if err := Build(s, out); err != nil {
			t.Fatal(err)
		}
		names, err := Names(out)
		if err != nil || len(names) != len(s.Refs) {
			t.Fatalf("names %v, error %v", names, err)
		}
		return names
	}
	first := build("first.tar", spec)
	if err := os.Chtimes(program, time.Now(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if second := build("second.tar", spec); !reflect.DeepEqual(first, second) {
		t.Errorf("%v became %v", first, second)
	}
	spec.User = "65532"
	if other := build("third.tar", spec); reflect.DeepEqual(first, other) {
		t.Error("another user gave the same digest")
	}
	spec.Refs = []string{"example.org/a:v1", "example.org/b:v2"}
	build("fourth.tar", spec)
}

func TestImagesOnABaseShareItsLayer(t *testing.T) {
	dir := t.TempDir()
	builder := Builder{Dir: dir, Report: progress.New()}
	base, err := builder.Base("base", map[string]string{"/bin/program": write(t, filepath.Join(dir, "program"), "x", 0o755)})
	if err != nil {
		t.Fatal(err)
	}
	shared, err := openLayer(base)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		spec := Spec{Refs: []string{"example.org/" + name + ":v1"}, Bases: []string{base}, Texts: map[string]string{"/name": name}}
		out := filepath.Join(dir, name+".tar")
		if err := Build(spec, out); err != nil {
			t.Fatal(err)
		}
		// The manifest, the configuration, and the two layers are the archive's blobs.
		if blobs := blobs(t, out); len(blobs) != 4 || !slices.Contains(blobs, shared.digest.Hex) {
			t.Errorf("%s has %v, without %s", name, blobs, shared.digest.Hex)
		}
	}
}

// blobs are the digests of an archive's.
func blobs(t *testing.T, archive string) []string {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var found []string
	for r := tar.NewReader(f); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		if digest, is := strings.CutPrefix(header.Name, "blobs/sha256/"); is {
			found = append(found, digest)
		}
	}
}

func TestAnImageNeedsAName(t *testing.T) {
	if Build(Spec{}, filepath.Join(t.TempDir(), "x.tar")) == nil {
		t.Error("it was built without one")
	}
}

func TestAFailedBuildLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	err := Build(Spec{Refs: []string{"a/b:c"}, Files: map[string]string{"/x": filepath.Join(dir, "missing")}}, filepath.Join(dir, "x.tar"))
	if err == nil {
		t.Fatal("a file that isn't there was packed")
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestALayerHoldsParentsModesAndLinks(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "tree", "sub", "tool"), "tool", 0o750)
	if err := os.Symlink("sub/tool", filepath.Join(dir, "tree", "link")); err != nil {
		t.Fatal(err)
	}
	c := contents{}
	c.dir("/data", 0o1777)
	c.text("/etc/motd", "hello")
	if err := c.add("/opt/x", filepath.Join(dir, "tree")); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := c.write(&out); err != nil {
		t.Fatal(err)
	}
	type item struct {
		kind byte
		mode int64
		link string
		body string
	}
	got := map[string]item{}
	var order []string
	for r := tar.NewReader(&out); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(r)
		got[h.Name] = item{h.Typeflag, h.Mode, h.Linkname, string(body)}
		order = append(order, h.Name)
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "" || h.ModTime.Unix() != 0 {
			t.Errorf("%s carries traces of this machine: %+v", h.Name, h)
		}
	}
	for name, want := range map[string]item{
		"data/":          {tar.TypeDir, 0o1777, "", ""},
		"etc/":           {tar.TypeDir, 0o755, "", ""},
		"etc/motd":       {tar.TypeReg, 0o644, "", "hello"},
		"opt/":           {tar.TypeDir, 0o755, "", ""},
		"opt/x/sub/tool": {tar.TypeReg, 0o750, "", "tool"},
		"opt/x/link":     {tar.TypeSymlink, 0o777, "sub/tool", ""},
	} {
		if got[name] != want {
			t.Errorf("%s: got %+v, want %+v (all: %v)", name, got[name], want, order)
		}
	}
}

func TestTheNodesImagesAreRead(t *testing.T) {
	out := `REF                      TYPE                                    DIGEST        SIZE     PLATFORMS   LABELS
kvbench.local/pause:v1   application/vnd.oci.image.manifest.v1   sha256:aa     679 KiB  linux/amd64 io.cri-containerd.image=managed
sha256:bb                application/vnd.oci.image.manifest.v1   sha256:aa     679 KiB  linux/amd64 -
`
	got := parseList(out)
	if want := map[string]string{"kvbench.local/pause:v1": "sha256:aa", "sha256:bb": "sha256:aa"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	for name, c := range map[string]struct {
		wanted map[string]string
		want   bool
	}{
		"present":                {map[string]string{"kvbench.local/pause:v1": "sha256:aa"}, true},
		"another digest":         {map[string]string{"kvbench.local/pause:v1": "sha256:cc"}, false},
		"one of two names lacks": {map[string]string{"kvbench.local/pause:v1": "sha256:aa", "x": "sha256:aa"}, false},
	} {
		if contains(got, c.wanted) != c.want {
			t.Error(name)
		}
	}
}

func TestAnImageHasOnePath(t *testing.T) {
	for _, c := range []struct{ env, want []string }{
		{nil, []string{defaultPath}},
		{[]string{"A=b"}, []string{defaultPath, "A=b"}},
		{[]string{"A=b", "PATH=/bin"}, []string{"A=b", "PATH=/bin"}},
	} {
		if got := environment(c.env); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v", c.env, got)
		}
	}
}
