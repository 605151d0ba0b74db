package main

import (
	"context"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
)

// kindTarget is a cluster of kind. It needs kind, Docker, and the internet for images
// and Chaos Mesh's chart.
type kindTarget struct {
	screen *screen
	name   string
}

// kindConfig has three workers, so that members are spread over Kubernetes nodes.
const kindConfig = `kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
nodes: [{role: control-plane}, {role: worker}, {role: worker}, {role: worker}]
`

func (t *kindTarget) Up(ctx context.Context) ([]byte, error) {
	clusters, err := output(ctx, "kind", "get", "clusters")
	if err != nil {
		return nil, err
	}
	if !slices.Contains(strings.Fields(clusters), t.name) {
		config, remove, err := tempFile("kind-*.yaml", kindConfig)
		if err != nil {
			return nil, err
		}
		defer remove()
		if err := stream(ctx, t.screen, "kind", "create", "cluster", "--name", t.name, "--config", config, "--wait", "3m"); err != nil {
			return nil, err
		}
	}
	kubeconfig, err := output(ctx, "kind", "get", "kubeconfig", "--name", t.name)
	return []byte(kubeconfig), err
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
		"controllerManager": map[string]any{"replicaCount": 1},
		"chaosDaemon":       map[string]any{"runtime": "containerd", "socketPath": "/run/containerd/containerd.sock"},
		"dashboard":         map[string]any{"create": false},
		"dnsServer":         map[string]any{"create": false},
	})
	r.Repo, r.Version = "https://charts.chaos-mesh.org", "2.8.2"
	return r, nil
}

func (t *kindTarget) Down(ctx context.Context) error {
	return stream(ctx, t.screen, "kind", "delete", "cluster", "--name", t.name)
}
