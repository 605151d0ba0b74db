// Package chaosmesh prepares Chaos Mesh for a cluster without registries: its two
// images, built from its Go module, and a copy of its Helm chart that fits them.
package chaosmesh

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/kvbench/kvbench/hack/localcluster/internal/binaries"
	"github.com/kvbench/kvbench/hack/localcluster/internal/images"
	"github.com/kvbench/kvbench/hack/localcluster/internal/scratch"
)

// The images' names in Chaos Mesh's chart; their tag is the module's version,
// because a local image never claims to be a release that it isn't.
const (
	controllerRepository = "ghcr.io/chaos-mesh/chaos-mesh"
	daemonRepository     = "ghcr.io/chaos-mesh/chaos-daemon"
)

//go:embed nsexec.sh
var nsexec string

// Maker prepares both.
type Maker struct {
	Cache  binaries.Cache
	Images images.Builder
	// Charts is the folder of prepared charts.
	Charts string
}

// Archives returns the archives of both images.
func (m Maker) Archives(ctx context.Context) ([]string, error) {
	built, err := m.Cache.Ensure(ctx, binaries.ChaosMesh)
	if err != nil {
		return nil, err
	}
	key := strings.TrimPrefix(filepath.Base(built.Dir), "chaosmesh-")
	manager, err := m.Images.Ensure("chaos-mesh-"+key, func(out string) error {
		return images.Build(images.Spec{
			Refs:  []string{controllerRepository + ":" + built.Version},
			Cmd:   []string{"/usr/local/bin/chaos-controller-manager"},
			Files: map[string]string{"/usr/local/bin/chaos-controller-manager": built.Path("chaos-controller-manager")},
		}, out)
	})
	if err != nil {
		return nil, err
	}
	base, err := m.daemonBase(ctx)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(filepath.Base(base) + nsexec))
	daemon, err := m.Images.Ensure("chaos-daemon-"+key+"-"+hex.EncodeToString(sum[:])[:8], func(out string) error {
		return m.daemon(ctx, built, base, out)
	})
	if err != nil {
		return nil, err
	}
	return []string{manager, daemon}, nil
}

func (m Maker) daemon(ctx context.Context, built binaries.Built, base, out string) error {
	module, err := m.moduleDir(ctx)
	if err != nil {
		return err
	}
	temp, remove, err := scratch.Dir(m.Images.Dir)
	if err != nil {
		return err
	}
	defer remove()
	pause := filepath.Join(temp, "pause")
	if err := images.CompileC(ctx, filepath.Join(module, "hack", "pause.c"), pause); err != nil {
		return err
	}
	script := filepath.Join(temp, "nsexec")
	if err := os.WriteFile(script, []byte(nsexec), 0o755); err != nil {
		return err
	}
	return images.Build(images.Spec{
		Refs:  []string{daemonRepository + ":" + built.Version},
		Bases: []string{base},
		Files: map[string]string{
			"/usr/local/bin/chaos-daemon": built.Path("chaos-daemon"),
			"/usr/local/bin/cdh":          built.Path("cdh"),
			"/usr/local/bin/pause":        pause,
			"/usr/local/bin/nsexec":       script,
		},
		Env: []string{"RUST_BACKTRACE=1"},
	}, out)
}

// moduleDir is where Go keeps the module's source.
func (m Maker) moduleDir(ctx context.Context) (string, error) {
	for _, args := range [][]string{
		{"mod", "download", binaries.ChaosMesh.Module},
		{"list", "-m", "-f", "{{.Dir}}", binaries.ChaosMesh.Module},
	} {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir = filepath.Join(m.Cache.Source, binaries.ChaosMesh.Name)
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("finding the source of %s: go %s: %w", binaries.ChaosMesh.Module, strings.Join(args, " "), err)
		}
		if dir := strings.TrimSpace(string(out)); dir != "" {
			return dir, nil
		}
	}
	return "", fmt.Errorf("go knows no folder of %s", binaries.ChaosMesh.Module)
}
