package observe

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/internal/bundle"
)

// sampleTimeout bounds the observer's answer at injection time.
const sampleTimeout = 2 * time.Second

func (r *Reader) sample(ctx context.Context, o *state.Observed) (*bundle.TopologyLine, error) {
	pods := &corev1.PodList{}
	if err := r.List(ctx, pods, client.InNamespace(o.Run.Namespace), client.MatchingLabels(names.RunLabels(o.Run, names.RoleObserver))); err != nil {
		return nil, err
	}
	for i := range pods.Items {
		if pod := &pods.Items[i]; pod.Status.PodIP != "" && pod.Status.Phase != corev1.PodFailed && pod.DeletionTimestamp.IsZero() {
			ctx, cancel := context.WithTimeout(ctx, sampleTimeout)
			defer cancel()
			return r.Sample(ctx, pod.Status.PodIP)
		}
	}
	return nil, fmt.Errorf("no observer pod is running")
}
