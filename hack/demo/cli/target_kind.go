package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/kvbench/kvbench/internal/cli/screen"
)

// kindTarget is a cluster of kind. It needs kind, Docker, and the internet for images
// and Chaos Mesh's chart.
type kindTarget struct {
	screen *screen.Screen
	name   string
	// config is a file with kind's own configuration, or "" for kindConfig.
	config string
}

// kindConfig has three workers, so that members are spread over Kubernetes nodes.
const kindConfig = `kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
nodes: [{role: control-plane}, {role: worker}, {role: worker}, {role: worker}]
`

func (t *kindTarget) Up(ctx context.Context) ([]byte, error) {
	if err := needDocker(ctx); err != nil {
		return nil, err
	}
	clusters, err := output(ctx, "kind", "get", "clusters")
	if err != nil {
		return nil, err
	}
	if slices.Contains(strings.Fields(clusters), t.name) {
		t.screen.Say("The kind cluster %s is there", t.name)
	} else if err := t.create(ctx); err != nil {
		return nil, err
	}
	kubeconfig, err := t.sound(ctx)
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("the kind cluster %s is there and isn't whole: remove it with make down CLUSTER=kind, then start again: %w", t.name, err)
	}
	return kubeconfig, err
}

// create makes the cluster. The user's own kubeconfig is left alone.
func (t *kindTarget) create(ctx context.Context) error {
	config := t.config
	if config == "" {
		file, remove, err := tempFile("kind-*.yaml", kindConfig)
		if err != nil {
			return err
		}
		defer remove()
		config = file
	} else if _, err := os.Stat(config); err != nil {
		return fmt.Errorf("reading kind's configuration, which KIND_CONFIG names: %w", err)
	}
	unused, remove, err := tempFile("kind-*.kubeconfig", "")
	if err != nil {
		return err
	}
	defer remove()
	err = stream(ctx, t.screen, "kind", "create", "cluster", "--name", t.name, "--config", config, "--kubeconfig", unused)
	if ctx.Err() != nil {
		// kind removes what it could not finish, but not when it is interrupted.
		return errors.Join(err, t.Down(context.WithoutCancel(ctx)))
	}
	if err != nil {
		return fmt.Errorf("kind made no cluster, and says why above (a node image that can't be pulled: name one that Docker has, in a file that KIND_CONFIG names): %w", err)
	}
	return nil
}

// sound waits until all of the cluster's nodes are ready, and returns its kubeconfig.
func (t *kindTarget) sound(ctx context.Context) ([]byte, error) {
	nodes, err := output(ctx, "kind", "get", "nodes", "--name", t.name)
	if err != nil {
		return nil, err
	}
	kubeconfig, err := output(ctx, "kind", "get", "kubeconfig", "--name", t.name)
	if err != nil {
		return nil, err
	}
	file, remove, err := tempFile("kind-*.kubeconfig", kubeconfig)
	if err != nil {
		return nil, err
	}
	defer remove()
	k, err := connect(file)
	if err != nil {
		return nil, err
	}
	return []byte(kubeconfig), awaitNodes(ctx, t.screen, k, strings.Fields(nodes))
}

// Deliver packs the programs that were built here; the nodes get them without a registry.
func (t *kindTarget) Deliver(ctx context.Context) (image, error) {
	built, err := builtImage(ctx, t.screen)
	if err != nil {
		return image{}, err
	}
	if err := stream(ctx, t.screen, "docker", "build", "--tag", built.String(), "--file", "hack/demo/Dockerfile", "bin"); err != nil {
		return image{}, err
	}
	return built, stream(ctx, t.screen, "kind", "load", "docker-image", "--name", t.name, built.String())
}

func (t *kindTarget) ChaosMesh(context.Context, *rest.Config) (*release, error) {
	r := chaosMesh("chaos-mesh", map[string]any{
		// One that elects itself ends when the API server is slow, and its faults come late.
		"controllerManager": map[string]any{"replicaCount": 1, "leaderElection": map[string]any{"enabled": false}},
		"chaosDaemon":       map[string]any{"runtime": "containerd", "socketPath": "/run/containerd/containerd.sock"},
		"dashboard":         map[string]any{"create": false},
		"dnsServer":         map[string]any{"create": false},
	})
	r.Repo, r.Version = "https://charts.chaos-mesh.org", "2.8.2"
	return r, nil
}

// Values lets kubelets be asked, which sign their certificates themselves on kind. Nobody but them
// answers in that network of Docker's.
func (t *kindTarget) Values() map[string]any {
	return map[string]any{"kubelet": map[string]any{"insecureTLS": true}}
}

// Down removes the images that Deliver left in Docker, too.
func (t *kindTarget) Down(ctx context.Context) error {
	if err := stream(ctx, t.screen, "kind", "delete", "cluster", "--name", t.name); err != nil {
		return err
	}
	return stream(ctx, t.screen, "docker", "image", "prune", "--all", "--force", "--filter", "label=kvbench.io/demo=true")
}
