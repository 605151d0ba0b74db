package images

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
	"github.com/kvbench/kvbench/hack/localcluster/internal/progress"
)

// Loader imports archives into the nodes' containerds.
type Loader struct {
	Ctr    string
	Report *progress.Reporter
}

// Load imports the archives into every node that hasn't got the same images yet.
func (l Loader) Load(ctx context.Context, nodes []layout.Node, archives ...string) error {
	present := make([]map[string]string, len(nodes))
	err := each(nodes, func(i int, n layout.Node) (err error) {
		present[i], err = l.list(ctx, n)
		return err
	})
	if err != nil {
		return err
	}
	for _, archive := range archives {
		wanted, err := Names(archive)
		if err != nil {
			return fmt.Errorf("reading the image %s: %w", archive, err)
		}
		var lacking []layout.Node
		for i, n := range nodes {
			if len(wanted) == 0 || !contains(present[i], wanted) {
				lacking = append(lacking, n)
			}
		}
		if len(lacking) == 0 {
			continue
		}
		what := filepath.Base(archive)
		for ref := range wanted {
			what = ref
		}
		err = l.Report.Step(fmt.Sprintf("loading %s into %s", what, names(lacking)), func(func(string)) error {
			return each(lacking, func(_ int, n layout.Node) error {
				// Without it, all of the archive passes through a stream of small messages first.
				_, err := l.ctr(ctx, n, "images", "import", "--local", archive)
				return err
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func names(nodes []layout.Node) string {
	all := make([]string, len(nodes))
	for i, n := range nodes {
		all[i] = n.Name()
	}
	return strings.Join(all, ", ")
}

func contains(present, wanted map[string]string) bool {
	for ref, digest := range wanted {
		if present[ref] != digest {
			return false
		}
	}
	return true
}

// each runs do for all nodes at once.
func each(nodes []layout.Node, do func(int, layout.Node) error) error {
	failed := make([]error, len(nodes))
	var group sync.WaitGroup
	for i, n := range nodes {
		group.Go(func() {
			if err := do(i, n); err != nil {
				failed[i] = fmt.Errorf("%s: %w", n.Name(), err)
			}
		})
	}
	group.Wait()
	return errors.Join(failed...)
}

func (l Loader) ctr(ctx context.Context, n layout.Node, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, l.Ctr, append([]string{"--address", n.ContainerdSocket(), "--namespace", "k8s.io"}, args...)...)
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("ctr %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(problems.String()))
	}
	return string(out), nil
}

// list returns the node's images: digest by name.
func (l Loader) list(ctx context.Context, n layout.Node) (map[string]string, error) {
	out, err := l.ctr(ctx, n, "images", "list")
	if err != nil {
		return nil, err
	}
	return parseList(out), nil
}

func parseList(out string) map[string]string {
	found := map[string]string{}
	for line := range strings.Lines(out) {
		if fields := strings.Fields(line); len(fields) > 2 && strings.HasPrefix(fields[2], "sha256:") {
			found[fields[0]] = fields[2]
		}
	}
	return found
}

// Names returns the digests that an OCI archive will have in containerd, by
// name. It is empty for an archive that doesn't tell them, as Docker's: such a
// one is always imported.
func Names(archive string) (map[string]string, error) {
	f, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for r := tar.NewReader(f); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if header.Name != "index.json" {
			continue
		}
		var index v1.IndexManifest
		if err := json.NewDecoder(r).Decode(&index); err != nil {
			return nil, err
		}
		found := map[string]string{}
		for _, m := range index.Manifests {
			if ref := m.Annotations[nameAnnotation]; ref != "" {
				found[ref] = m.Digest.String()
			}
		}
		return found, nil
	}
}
