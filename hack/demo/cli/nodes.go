package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kvbench/kvbench/internal/cli/screen"
)

const nodesDeadline = 3 * time.Minute

// awaitNodes waits until the nodes of these names have joined the cluster and are ready.
func awaitNodes(ctx context.Context, s *screen.Screen, k *cluster, names []string) error {
	begin := time.Now()
	inTime, cancel := context.WithTimeout(ctx, nodesDeadline)
	defer cancel()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		var nodes corev1.NodeList
		err := k.List(inTime, &nodes)
		missing := notReady(names, nodes.Items)
		if err == nil && len(missing) == 0 {
			return nil
		}
		state := strings.Join(missing, ", ")
		s.Progress(time.Now(), state, fmt.Sprintf("Waiting for the nodes %s (%s)", state, time.Since(begin).Round(time.Second)))
		select {
		case <-tick.C:
			continue
		case <-inTime.Done():
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return fmt.Errorf("the API server has not answered for %s: %w", nodesDeadline, err)
		}
		return fmt.Errorf("after %s these nodes are not ready: %s", nodesDeadline, state)
	}
}

// notReady are the names that no ready node has.
func notReady(names []string, nodes []corev1.Node) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(nodes, func(n corev1.Node) bool {
			return n.Name == name && slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
				return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
			})
		})
	})
}
