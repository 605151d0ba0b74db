package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/screen"
)

// loadStoreImage brings the image of the run's store to the nodes of the local cluster, which have no
// registry. Other clusters pull their images.
func loadStoreImage(ctx context.Context, s *screen.Screen, k *cluster, run *v1alpha1.BenchmarkRun) error {
	store := run.Spec.Store
	if store.Chart != nil || len(store.Endpoints) > 0 {
		return nil // it brings its images, or is there
	}
	t := &localTarget{screen: s}
	if mine, err := t.made(ctx, k.kubeconfig); err != nil || !mine {
		return err
	}
	if err := t.build(ctx); err != nil {
		return err
	}
	known, err := output(ctx, t.program, "stores")
	if err != nil {
		return err
	}
	if !slices.Contains(strings.Fields(known), store.Name) {
		return nil // etcd's is there from the beginning; an unknown store is the API's to refuse
	}
	s.Say("Loading the image of %s into the local cluster", store.Name)
	if err := stream(ctx, s, t.program, "store-images", store.Name); err != nil {
		return fmt.Errorf("loading the image of %s: %w", store.Name, err)
	}
	return nil
}

// made says that the kubeconfig is of the cluster that this checkout's localcluster has made.
func (t *localTarget) made(ctx context.Context, kubeconfig string) (bool, error) {
	program, err := filepath.Abs(localProgram)
	if err != nil {
		return false, err
	}
	if _, err := os.Stat(program); err != nil {
		return false, nil // never made here
	}
	own, err := output(ctx, program, "kubeconfig", "--raw")
	if err != nil {
		return false, ctx.Err() // it isn't up
	}
	given, err := os.ReadFile(kubeconfig)
	return err == nil && strings.TrimSpace(own) == strings.TrimSpace(string(given)), err
}
