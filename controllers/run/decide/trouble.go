package decide

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/plan"
)

const (
	// tellTrouble is how long a pod's trouble stands before it is told. A pod that starts may have one for
	// a moment.
	tellTrouble = 20 * time.Second
	// giveUpImage is how long an image may be missing or denied: somebody may be about to push it.
	giveUpImage = 2 * time.Minute
)

// decideTrouble says what follows from pods that don't run: nothing yet, to tell it, or to fail. next is
// the time after which the answer changes though nothing happens, 0 for never. told is the condition in
// which trouble is told.
func decideTrouble(troubles []state.PodTrouble, told *metav1.Condition, now time.Time) (d Decision, next time.Duration) {
	var worst *state.PodTrouble
	for i := range troubles {
		t := &troubles[i]
		stood := now.Sub(t.Since)
		if t.Kind.Lasts() {
			next = sooner(next, giveUpImage-stood)
		}
		// What was told stays told, though a controller that was restarted counts anew.
		if stood < tellTrouble && (told == nil || told.Reason != string(t.Kind)) {
			next = sooner(next, tellTrouble-stood)
			continue
		}
		if worst == nil || t.WorseThan(worst) {
			worst = t
		}
	}
	switch {
	case worst == nil:
		return Decision{}, next
	case worst.Kind.Lasts() && now.Sub(worst.Since) >= giveUpImage:
		return Fail(string(worst.Kind), lasting[worst.Kind], giveUpImage, worst.Words), 0
	}
	return wait(string(worst.Kind), worst.Words, next), next
}

// lasting are the words of a failure, with the time and the pod's own.
var lasting = map[state.TroubleKind]string{
	state.ImageNotFound: "an image was not found for %s: %s (correct its name or version, or bring it where the nodes find it)",
	state.ImageDenied:   "access to an image was denied for %s: %s (correct its name, or let the nodes pull it)",
}

// sooner is the earlier of two waits, of which 0 is none.
func sooner(a, b time.Duration) time.Duration {
	if a <= 0 || b <= 0 {
		return max(a, b)
	}
	return min(a, b)
}

func storeReady(run *v1alpha1.BenchmarkRun) *metav1.Condition {
	return meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionStoreReady)
}

// stuckOn is the first of what keeps the store's pods from running, "" where nothing has for long.
func stuckOn(o *state.Observed) string {
	d, _ := decideTrouble(o.Store.Troubles, storeReady(o.Run), o.Now)
	return d.Message
}

// ofStore is the decision about the store's pods, of which another look is due then.
func (d Decision) ofStore(look time.Duration) Decision {
	if d.Verb == DoWait {
		d.Condition, d.After = v1alpha1.ConditionStoreReady, sooner(d.After, look)
	}
	return d
}

// awaitPods is the wait for a Job's pods: it tells what keeps them from running, and takes that back
// when it is over.
func awaitPods(o *state.Observed, w *plan.Workload, step string, job state.Job, otherwise Decision) Decision {
	told := status.WorkloadCondition(o.Run, w.Name, step)
	d, next := decideTrouble(job.Troubles, told, o.Now)
	switch d.Verb {
	case DoFail:
		return d
	case DoWait:
		d.Workload, d.Condition = w.Name, step
	default:
		d = otherwise
		// At a Job's deadline its pods are deleted before the Job says so. The cause must still be told
		// then.
		if told != nil && state.IsTroubleOfPods(told.Reason) && job.ReadyPods+job.StartingPods > 0 {
			d.Workload, d.Condition = w.Name, step
		}
	}
	d.After = sooner(otherwise.After, next)
	return d
}

// troubleTold is the pod's trouble that a workload's condition tells; "" for none.
func troubleTold(run *v1alpha1.BenchmarkRun, workload, step string) string {
	if told := status.WorkloadCondition(run, workload, step); told != nil && state.IsTroubleOfPods(told.Reason) {
		return told.Message
	}
	return ""
}
