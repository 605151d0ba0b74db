package main

import (
	"context"
	"fmt"

	"k8s.io/client-go/rest"

	"github.com/kvbench/kvbench/internal/cli/screen"
)

// target is a kind of cluster.
type target interface {
	// Up leaves a cluster that can be reached, and returns a kubeconfig for it.
	Up(ctx context.Context) (kubeconfig []byte, err error)
	// Deliver leaves the image of this checkout where the cluster's nodes find it.
	Deliver(ctx context.Context) (image, error)
	// ChaosMesh is what to install; nil when it is there already.
	ChaosMesh(ctx context.Context, config *rest.Config) (*release, error)
	// Values are what the operator's chart needs to know of the cluster; nil is nothing.
	Values() map[string]any
	// Down removes the cluster; one that is gone already is no error.
	Down(ctx context.Context) error
}

// choice is what a user says about the cluster.
type choice struct{ kind, image, kindConfig string }

func (c choice) target(s *screen.Screen) (target, error) {
	switch c.kind {
	case "local":
		return &localTarget{screen: s}, nil
	case "kind":
		return &kindTarget{screen: s, name: "kvbench", config: c.kindConfig}, nil
	case "current":
		return &currentTarget{reference: c.image}, nil
	}
	return nil, fmt.Errorf("--cluster %s: want local, kind or current", c.kind)
}
