package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/kvbench/kvbench/internal/cli/screen"
)

// localTarget is the cluster of hack/localcluster.
type localTarget struct {
	screen  *screen.Screen
	program string
}

func (t *localTarget) Up(ctx context.Context) ([]byte, error) {
	if err := t.build(ctx); err != nil {
		return nil, err
	}
	t.screen.Say("Bringing the local cluster up")
	if err := stream(ctx, t.screen, t.program, "up"); err != nil {
		return nil, err
	}
	path, err := output(ctx, t.program, "kubeconfig")
	if err != nil {
		return nil, err
	}
	return os.ReadFile(strings.TrimSpace(path))
}

func (t *localTarget) Values() map[string]any { return nil }

func (t *localTarget) Down(ctx context.Context) error {
	if err := t.build(ctx); err != nil {
		return err
	}
	return stream(ctx, t.screen, t.program, "down")
}

const localProgram = "_output/bin/localcluster"

// build makes the program of the cluster, which is a module of its own.
func (t *localTarget) build(ctx context.Context) error {
	program, err := filepath.Abs(localProgram)
	if err != nil {
		return err
	}
	t.program = program
	return compile(ctx, t.screen, "Building localcluster", "hack/localcluster", "-o", program, ".")
}

func (t *localTarget) Deliver(ctx context.Context) (image, error) {
	built, err := builtImage(ctx, t.screen)
	if err != nil {
		return image{}, err
	}
	archive := filepath.Join("_output", "images", "kvbench-"+built.Tag+".tar")
	if _, err := os.Stat(archive); errors.Is(err, fs.ErrNotExist) {
		if err := t.pack(ctx, built, archive); err != nil {
			return image{}, err
		}
	} else if err != nil {
		return image{}, err
	}
	return built, stream(ctx, t.screen, t.program, "load-image", archive)
}

// pack writes the image's archive, and drops those of earlier builds.
func (t *localTarget) pack(ctx context.Context, built image, archive string) error {
	if err := os.RemoveAll(filepath.Dir(archive)); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(archive), 0o755); err != nil {
		return err
	}
	args := []string{"build-image", "--ref", built.String(), "--user", "65532:65532", "--entrypoint", "/kvbench", "--out", archive + ".part"}
	for _, p := range programs {
		args = append(args, "--file", "/"+p+"=bin/"+p)
	}
	err := t.screen.Step("Building the image "+built.String(), func() error {
		_, err := output(ctx, t.program, args...)
		return err
	})
	if err != nil {
		return err
	}
	return os.Rename(archive+".part", archive)
}

func (t *localTarget) ChaosMesh(ctx context.Context, _ *rest.Config) (*release, error) {
	out, err := output(ctx, t.program, "chaos-chart")
	if err != nil {
		return nil, err
	}
	paths := strings.Fields(out)
	if len(paths) != 2 {
		return nil, fmt.Errorf("localcluster chaos-chart: want a chart and its values, got %q", out)
	}
	values, err := readValues(paths[1])
	if err != nil {
		return nil, err
	}
	return chaosMesh(paths[0], values), nil
}
