package images

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/kvbench/kvbench/hack/localcluster/internal/binaries"
	"github.com/kvbench/kvbench/hack/localcluster/internal/progress"
	"github.com/kvbench/kvbench/hack/localcluster/internal/scratch"
)

// PauseImage is our own: it carries no upstream name, because it isn't upstream's.
const PauseImage = "kvbench.local/pause:v1"

// The upstream names; their tags are the versions that were built.
const (
	CoreDNSRepository    = "registry.k8s.io/coredns/coredns"
	EtcdRepository       = "quay.io/coreos/etcd"
	PrometheusRepository = "quay.io/prometheus/prometheus"
)

//go:embed pause/pause.c
var pauseSource string

// recipe counts changes of how the images below are put together.
const recipe = "-r1"

// Builder builds images into a cache folder, each only when it is missing.
type Builder struct {
	Dir    string
	Report *progress.Reporter
}

// Ensure returns the archive called name, and builds it if it isn't there. The
// name must change whenever the content would.
func (b Builder) Ensure(name string, build func(out string) error) (string, error) {
	out := filepath.Join(b.Dir, name+".tar")
	if _, err := os.Stat(out); err == nil {
		return out, nil
	}
	if err := os.MkdirAll(b.Dir, 0o755); err != nil {
		return "", err
	}
	return out, b.Report.Step("building the image "+name, func(func(string)) error { return build(out) })
}

// Base makes the tar file of a root file system with these files, for images that share it.
func (b Builder) Base(name string, files map[string]string) (string, error) {
	return b.Ensure(name, func(out string) error {
		temp, remove, err := scratch.Dir(b.Dir)
		if err != nil {
			return err
		}
		defer remove()
		file := filepath.Join(temp, "layer.tar")
		if err := (Spec{Files: files}).writeLayer(file); err != nil {
			return err
		}
		return os.Rename(file, out)
	})
}

// CompileC compiles a C program statically.
func CompileC(ctx context.Context, source, out string) error {
	cmd := exec.CommandContext(ctx, "gcc", "-static", "-Os", "-s", "-x", "c", source, "-o", out)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compiling %s (gcc and libc6-dev are needed): %w: %s", source, err, output)
	}
	return nil
}

// Pause is the image of every pod's first container.
func (b Builder) Pause(ctx context.Context) (string, error) {
	return b.Ensure("pause-v1"+recipe, func(out string) error {
		temp, remove, err := scratch.Dir(b.Dir)
		if err != nil {
			return err
		}
		defer remove()
		source, program := filepath.Join(temp, "pause.c"), filepath.Join(temp, "pause")
		if err := os.WriteFile(source, []byte(pauseSource), 0o644); err != nil {
			return err
		}
		if err := CompileC(ctx, source, program); err != nil {
			return err
		}
		return Build(Spec{
			Refs: []string{PauseImage}, Entrypoint: []string{"/pause"}, User: "65535:65535",
			Files: map[string]string{"/pause": program},
		}, out)
	})
}

// CoreDNS is the cluster's name server, as upstream's image has it.
func (b Builder) CoreDNS(built binaries.Built) (string, error) {
	return b.Ensure(filepath.Base(built.Dir)+recipe, func(out string) error {
		return Build(Spec{
			Refs: []string{CoreDNSRepository + ":" + built.Version}, Entrypoint: []string{"/coredns"},
			WorkingDir: "/", Files: map[string]string{"/coredns": built.Path("coredns")},
		}, out)
	})
}

// Etcd is the store that most tests benchmark: upstream's layout, and like
// upstream's without a shell.
func (b Builder) Etcd(built binaries.Built) (string, error) {
	return b.Ensure(filepath.Base(built.Dir)+recipe, func(out string) error {
		return Build(Spec{
			Refs: []string{EtcdRepository + ":" + built.Version}, Cmd: []string{"/usr/local/bin/etcd"},
			WorkingDir: "/", Files: map[string]string{
				"/usr/local/bin/etcd":    built.Path("etcd"),
				"/usr/local/bin/etcdctl": built.Path("etcdctl"),
			},
			Dirs: map[string]int64{"/var/etcd": 0o755, "/var/lib/etcd": 0o700},
		}, out)
	})
}

// Prometheus is upstream's layout without its pages, which need npm to build. The module
// v0.316.0 is the release v3.16.0.
func (b Builder) Prometheus(built binaries.Built) (name, archive string, err error) {
	minor, patch, ok := strings.Cut(strings.TrimPrefix(built.Version, "v0.3"), ".")
	if !ok {
		return "", "", fmt.Errorf("the module version %s is none of Prometheus 3", built.Version)
	}
	name = fmt.Sprintf("%s:v3.%s.%s", PrometheusRepository, strings.TrimPrefix(minor, "0"), patch)
	archive, err = b.Ensure(filepath.Base(built.Dir)+recipe, func(out string) error {
		return Build(Spec{
			Refs: []string{name}, Entrypoint: []string{"/bin/prometheus"}, User: "65534:65534",
			WorkingDir: "/prometheus", Files: map[string]string{"/bin/prometheus": built.Path("prometheus")},
			Dirs: map[string]int64{"/prometheus": 0o777, "/etc/prometheus": 0o755},
		}, out)
	})
	return name, archive, err
}
