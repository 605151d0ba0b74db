package logs

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/kvbench/kvbench/internal/cli/kube"
)

// watchEvents sends the events about the subjects, first those that there are.
func (f *follower) watchEvents(ctx context.Context, subjects []subject) {
	for ctx.Err() == nil {
		if err := f.watchOnce(ctx, subjects); apierrors.IsForbidden(err) {
			send(ctx, f.refused, kube.Explain(err))
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(f.every):
		}
	}
}

// watchOnce ends where the API server ends the watch, as it does after some minutes. Without a version it begins with all that
// there is, so nothing is lost in between. An error is that of its begin.
func (f *follower) watchOnce(ctx context.Context, subjects []subject) error {
	watch, err := f.cluster.Clients.CoreV1().Events(f.entry.Namespace).Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err // looking around tells of a cluster that doesn't answer
	}
	defer watch.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case change, more := <-watch.ResultChan():
			if !more {
				return nil
			}
			e, is := change.Object.(*corev1.Event)
			if !is || change.Type == apiwatch.Deleted {
				continue
			}
			if line, about := ofEvent(e, subjects); about && f.pods.takes(line) && !send(ctx, f.events, event{line, eventKey(e)}) {
				return nil
			}
		}
	}
}
