package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/internal/cli/screen"
)

const rolloutDeadline = 5 * time.Minute

// awaitRollout waits until every workload of the namespace runs as its spec says.
func awaitRollout(ctx context.Context, s *screen.Screen, k *cluster, namespace string) error {
	begin := time.Now()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		missing, err := rollout(ctx, k, namespace)
		if err != nil { // of an API server that is busy, perhaps
			missing = []string{fmt.Sprintf("a look at it: %v", err)}
		}
		took := time.Since(begin).Round(time.Second)
		if len(missing) == 0 {
			s.Say("%s: everything runs (%s)", namespace, took)
			return nil
		}
		state := strings.Join(missing, ", ")
		if took > rolloutDeadline {
			return fmt.Errorf("after %s not everything runs in %s: %s; see kubectl -n %s describe pods", took, namespace, state, namespace)
		}
		s.Progress(time.Now(), state, fmt.Sprintf("%s: waiting for %s (%s)", namespace, state, took))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// rollout lists what isn't there yet.
func rollout(ctx context.Context, k *cluster, namespace string) ([]string, error) {
	var deployments appsv1.DeploymentList
	var sets appsv1.StatefulSetList
	var daemons appsv1.DaemonSetList
	var pods corev1.PodList
	in := client.InNamespace(namespace)
	if err := errors.Join(k.List(ctx, &deployments, in), k.List(ctx, &sets, in), k.List(ctx, &daemons, in), k.List(ctx, &pods, in)); err != nil {
		return nil, err
	}
	var missing []string
	for i := range deployments.Items {
		d := &deployments.Items[i]
		missing = appendMissing(missing, d, *d.Spec.Replicas, d.Status.ObservedGeneration, d.Status.UpdatedReplicas, d.Status.AvailableReplicas, d.Status.Replicas, pods.Items)
	}
	for i := range sets.Items {
		s := &sets.Items[i]
		missing = appendMissing(missing, s, *s.Spec.Replicas, s.Status.ObservedGeneration, s.Status.UpdatedReplicas, s.Status.AvailableReplicas, s.Status.Replicas, pods.Items)
	}
	for i := range daemons.Items {
		d := &daemons.Items[i]
		want := d.Status.DesiredNumberScheduled
		missing = appendMissing(missing, d, want, d.Status.ObservedGeneration, d.Status.UpdatedNumberScheduled, d.Status.NumberAvailable, d.Status.CurrentNumberScheduled, pods.Items)
	}
	return missing, nil
}

// appendMissing judges one workload: all of its replicas are of the newest spec, are
// available, and none of an older one is left.
func appendMissing(missing []string, o client.Object, want int32, observed int64, updated, available, total int32, pods []corev1.Pod) []string {
	if observed >= o.GetGeneration() && updated == want && available >= want && total == want {
		return missing
	}
	text := fmt.Sprintf("%s %d/%d", o.GetName(), min(updated, available, want), want)
	if updated >= want && available >= want {
		return append(missing, o.GetName()+" (until its old pods have ended)")
	}
	if why := waitingReason(o.GetName(), pods); why != "" {
		text += " (" + why + ")"
	}
	return append(missing, text)
}

// waitingReason says why a pod of the workload isn't ready, if its status tells.
func waitingReason(workload string, pods []corev1.Pod) string {
	for i := range pods {
		if !strings.HasPrefix(pods[i].Name, workload+"-") {
			continue
		}
		for _, c := range pods[i].Status.ContainerStatuses {
			if w := c.State.Waiting; w != nil {
				return w.Reason
			}
		}
		for _, c := range pods[i].Status.Conditions {
			if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
				return c.Message
			}
		}
	}
	return ""
}
