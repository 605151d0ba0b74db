package logs

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/pager"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/follow"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/kube"
)

// subjectsOf are a run, or a suite and its runs, as they are now. over says that nothing more can happen to what was asked for.
func subjectsOf(ctx context.Context, k client.Reader, e *inventory.Entry) (subjects []subject, over bool, err error) {
	if e.Kind == inventory.Run {
		run := &v1alpha1.BenchmarkRun{}
		err := k.Get(ctx, client.ObjectKey{Namespace: e.Namespace, Name: e.Name}, run)
		if gone(err) || err == nil && string(run.UID) != e.UID {
			return []subject{ofEntry(e)}, true, nil
		}
		if err != nil {
			return nil, false, kube.Explain(err)
		}
		return []subject{ofRun(run)}, follow.Ended(run), nil
	}
	suite := &v1alpha1.BenchmarkSuite{}
	err = k.Get(ctx, client.ObjectKey{Namespace: e.Namespace, Name: e.Name}, suite)
	switch {
	case gone(err) || err == nil && string(suite.UID) != e.UID:
		over = true
	case err != nil:
		return nil, false, kube.Explain(err)
	default:
		over = follow.SuiteEnded(suite)
	}
	runs := &v1alpha1.BenchmarkRunList{}
	if err := k.List(ctx, runs, client.InNamespace(e.Namespace), client.MatchingLabels{labelSuiteUID: e.UID}); err != nil {
		return nil, false, kube.Explain(err)
	}
	subjects = []subject{ofEntry(e)}
	for i := range runs.Items {
		subjects = append(subjects, ofRun(&runs.Items[i]))
	}
	return subjects, over, nil
}

func gone(err error) bool { return apierrors.IsNotFound(err) }

// podsOf are the lives of the containers of the subjects' pods, of the roles that are wanted. It asks once, however many runs there
// are: all subjects are of one namespace.
func podsOf(ctx context.Context, k client.Reader, subjects []subject, w wanted) (found []container, err error) {
	runs := slices.DeleteFunc(slices.Clone(subjects), func(s subject) bool { return s.ID == "" })
	if len(runs) == 0 {
		return nil, nil
	}
	var which client.ListOption = client.HasLabels{labelUID}
	if len(runs) == 1 {
		which = client.MatchingLabels{labelUID: runs[0].UID}
	}
	pods := &corev1.PodList{}
	if err := k.List(ctx, pods, client.InNamespace(runs[0].Namespace), which); err != nil {
		return nil, kube.Explain(err)
	}
	of := map[string][]*corev1.Pod{} // by the UID of the run
	for i := range pods.Items {
		uid := pods.Items[i].Labels[labelUID]
		of[uid] = append(of[uid], &pods.Items[i])
	}
	for _, s := range runs {
		for _, pod := range of[s.UID] {
			if like, known := sourceOf(pod, s); known && w[like.Role] {
				found = append(found, containersOf(pod, like)...)
			}
		}
	}
	return found, nil
}

// controllersOf are the containers of the controller's pods.
func controllersOf(ctx context.Context, c *kube.Cluster) (found []container, err error) {
	pods, err := c.Clients.CoreV1().Pods(c.System).List(ctx, metav1.ListOptions{LabelSelector: controllerLabels})
	if err != nil {
		return nil, err
	}
	for i := range pods.Items {
		found = append(found, containersOf(&pods.Items[i], Line{Role: Controller, Source: string(Controller)})...)
	}
	return found, nil
}

// event is a line, and what tells it from other events.
type event struct {
	line Line
	key  string
}

// eventsOf are the events about the subjects, in no order. It holds those alone, and reads the namespace's in pages.
func eventsOf(ctx context.Context, c *kube.Cluster, namespace string, subjects []subject) (found []event, err error) {
	pages := pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		return c.Clients.CoreV1().Events(namespace).List(ctx, o)
	})
	err = pages.EachListItem(ctx, metav1.ListOptions{}, func(object runtime.Object) error {
		e, is := object.(*corev1.Event)
		if !is {
			return fmt.Errorf("the API server gave a %T in place of an event", object)
		}
		if line, about := ofEvent(e, subjects); about {
			found = append(found, event{line, eventKey(e)})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing the events of the namespace %s: %w", namespace, kube.Explain(err))
	}
	return found, nil
}
