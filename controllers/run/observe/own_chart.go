package observe

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/pods"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/controllers/run/targets"
	"github.com/kvbench/kvbench/internal/plan"
)

// readOwnChart looks at what the run's chart makes, by the names that the plan has: its members,
// of which others may be the maker, and its resources.
func (r *Reader) readOwnChart(ctx context.Context, o *state.Observed, labelled []corev1.Pod) error {
	if o.Plan == nil || o.Plan.Store.OwnChart == nil || status.IsTrue(o.Run, v1alpha1.ConditionStoreReady) && !status.Tearing(o.Run) {
		return nil
	}
	if err := r.readOwnMembers(ctx, o, labelled); err != nil {
		return err
	}
	return r.readOwnResources(ctx, o)
}

func (r *Reader) readOwnMembers(ctx context.Context, o *state.Observed, labelled []corev1.Pod) error {
	o.Store.ReadyMembers = 0 // the chart may make pods that are no members
	for _, member := range o.Plan.Store.Members {
		pod := &corev1.Pod{}
		at := slices.IndexFunc(labelled, func(p corev1.Pod) bool { return p.Name == member.Name })
		if at >= 0 {
			pod = &labelled[at]
		} else if err := r.Direct.Get(ctx, client.ObjectKey{Namespace: o.Run.Namespace, Name: member.Name}, pod); err != nil {
			if apierrors.IsNotFound(err) {
				continue
			}
			return fmt.Errorf("reading the pod %s: %w", member.Name, err)
		}
		if pods.IsReady(pod) {
			o.Store.ReadyMembers++
		} else {
			o.Store.Trouble = message.FirstOf(o.Store.Trouble, pods.CauseOf(pod).Words)
			if !targets.OfStore(o, pod) { // the others are known by their labels
				o.Store.Troubles = append(o.Store.Troubles, pods.TroubleOfPod(pod, nil)...)
			}
		}
		if !targets.OfStore(o, pod) {
			leaveOwn(o, "Pod "+pod.Name)
		}
		if o.Store.Unfit.Reason == "" {
			o.Store.Unfit = targets.Unfit(o, pod, member)
		}
	}
	return nil
}

func (r *Reader) readOwnResources(ctx context.Context, o *state.Observed) error {
	wanted := o.Plan.Store.OwnChart.Ready
	if len(wanted) == 0 {
		return nil
	}
	asAccount, err := r.AccountOf(o.Run)
	if err != nil {
		return err
	}
	for _, w := range wanted {
		object := &unstructured.Unstructured{}
		object.SetAPIVersion(w.APIVersion)
		object.SetKind(w.Kind)
		err := asAccount.Get(ctx, client.ObjectKey{Namespace: o.Run.Namespace, Name: w.Name}, object)
		trouble := ""
		switch {
		case apierrors.IsNotFound(err) || meta.IsNoMatchError(err):
			trouble = fmt.Sprintf("there is no %s %s yet", w.Kind, w.Name)
		case apierrors.IsForbidden(err):
			trouble = fmt.Sprintf("service account %s may not get %s %s", names.ServiceAccount(o.Run), w.Kind, w.Name)
		case err != nil:
			// A conversion webhook or an API server behind the API server may be gone for good: no
			// pass may end here, or the run never meets a deadline. What can't be read may be there.
			leaveOwn(o, w.Kind+" "+w.Name)
			trouble = message.Excerpt(fmt.Sprintf("%s %s can't be read: %v", w.Kind, w.Name, err))
		default:
			leaveOwn(o, w.Kind+" "+w.Name)
			trouble = unready(w, object)
		}
		o.Store.Unready = message.FirstOf(o.Store.Unready, trouble)
	}
	return nil
}

// unready is why the resource doesn't say that the store is ready; "" when it does. What it says
// is somebody else's text.
func unready(wanted plan.Ready, object *unstructured.Unstructured) string {
	name := wanted.Kind + " " + wanted.Name
	if object.GetDeletionTimestamp() != nil {
		return name + " is being deleted"
	}
	if wanted.Field != "" {
		return unreadyField(name, wanted, object)
	}
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, item := range conditions {
		condition, _ := item.(map[string]any)
		if condition["type"] != wanted.Condition {
			continue
		}
		seen, dated, _ := unstructured.NestedInt64(condition, "observedGeneration")
		switch {
		case dated && seen < object.GetGeneration():
			return fmt.Sprintf("%s: its condition %s is of an earlier generation", name, wanted.Condition)
		case condition["status"] == wanted.Status:
			return ""
		}
		status, _ := condition["status"].(string)
		reason, _ := condition["reason"].(string)
		text, _ := condition["message"].(string)
		return message.Excerpt(fmt.Sprintf("%s: its condition %s is %q (%s)%s", name, wanted.Condition, message.Cut(status, 40), message.Cut(reason, 100), message.Because(text)))
	}
	return fmt.Sprintf("%s has no condition %s yet", name, wanted.Condition)
}

func unreadyField(name string, wanted plan.Ready, object *unstructured.Unstructured) string {
	says, found, err := unstructured.NestedString(object.Object, append([]string{"status"}, strings.Split(wanted.Field, ".")...)...)
	switch {
	case err != nil:
		return fmt.Sprintf("%s: its status.%s is no text", name, wanted.Field)
	case !found:
		return fmt.Sprintf("%s has no status.%s yet", name, wanted.Field)
	case says == wanted.Equals:
		return ""
	}
	text, _, _ := unstructured.NestedString(object.Object, "status", "message")
	return message.Excerpt(fmt.Sprintf("%s: its status.%s is %q, not %q%s", name, wanted.Field, message.Cut(says, 100), wanted.Equals, message.Because(text)))
}
