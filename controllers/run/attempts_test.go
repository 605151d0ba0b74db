package run

import (
	"errors"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/controllers/run/status"
	results "github.com/kvbench/kvbench/internal/results/client"
)

// A step that needs the results server is tried until its deadline, which counts from the
// first attempt that failed, and then fails with a reason that names the disk if it is that.
func TestARunWaitsForTheResultsServerAndThenSaysWhatItWaitedFor(t *testing.T) {
	armed := func(o *state.Observed) {
		statetest.Measuring(0)(o)
		status.EnsureWorkload(o.Run, "a").StartedAtUnixNanos = 0
	}
	toCollect := func(o *state.Observed) {
		statetest.Reported(o)
		meta.RemoveStatusCondition(&o.Run.Status.Conditions, v1alpha1.ConditionReported)
		status.EnsureWorkload(o.Run, "a").StartedAtUnixNanos = 1
	}
	queued := func(o *state.Observed) {
		statetest.Planned(o)
		o.Slot.Held = true
		statetest.Condition(v1alpha1.ConditionAccepted, "Unknown", status.ReasonQueued, 3*time.Hour)(o)
	}
	for _, step := range []struct {
		name     string
		given    statetest.Situation
		verb     decide.Verb
		waits    string // the reason while it waits
		fails    string // and at the end, when the disk isn't the cause
		deadline time.Duration
		noted    func(*v1alpha1.BenchmarkRun) *metav1.Condition
	}{
		{"its turn", queued, decide.DoAccept, status.ReasonAdmitting, "AdmitTimedOut", decide.AdmitDeadline, func(run *v1alpha1.BenchmarkRun) *metav1.Condition {
			return meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionAccepted)
		}},
		{"the start", armed, decide.DoStart, status.ReasonNotPosted, "StartTimedOut", decide.StartDeadline, func(run *v1alpha1.BenchmarkRun) *metav1.Condition {
			return status.WorkloadCondition(run, "a", v1alpha1.ConditionMeasured)
		}},
		{"the report", toCollect, decide.DoCollect, status.ReasonNotStored, "CollectTimedOut", 5 * time.Minute, func(run *v1alpha1.BenchmarkRun) *metav1.Condition {
			return meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionReported)
		}},
	} {
		for _, cause := range []error{statetest.ErrNoRoom, statetest.ErrAway, statetest.ErrToken} {
			t.Run(step.name+", "+cause.Error(), func(t *testing.T) {
				waits, fails := step.waits, step.fails
				if errors.Is(cause, results.ErrFull) {
					waits, fails = status.ReasonDiskFull, status.ReasonDiskFull
				}
				o := statetest.Given(step.given)
				r := &Reconciler{Set: clients.Set{Client: fake.NewClientBuilder().WithScheme(controllers.Scheme()).Build(), Results: statetest.FailingResults{Err: cause}}}
				pass := func(now time.Time) error {
					o.Now = now
					d := decide.Decide(o)
					_, err := r.actor().Act(t.Context(), o, d)
					if d.Verb != step.verb && d.Verb != decide.DoFail {
						t.Fatalf("at %s it decides %s %s", now, d.Verb, d.Reason)
					}
					return err
				}
				// However long ago the step before ended, the first attempt is made.
				first := statetest.Epoch.Add(48 * time.Hour)
				if err := pass(first); !errors.Is(err, cause) {
					t.Fatalf("the first attempt: %v", err)
				}
				noted := step.noted(o.Run)
				if noted == nil || noted.Status != metav1.ConditionUnknown || noted.Reason != waits || !strings.Contains(noted.Message, cause.Error()) {
					t.Fatalf("noted is %+v, want %s", noted, waits)
				}
				noted.LastTransitionTime = metav1.NewTime(first) // the passes' clock, not the test's
				if err := pass(first.Add(step.deadline - time.Second)); !errors.Is(err, cause) {
					t.Fatalf("just before the deadline: %v", err)
				}
				if status.IsTrue(o.Run, status.ConditionFailing) {
					t.Fatal("it failed before its deadline")
				}
				if err := pass(first.Add(step.deadline + time.Second)); err != nil {
					t.Fatalf("after the deadline: %v", err)
				}
				failing := meta.FindStatusCondition(o.Run.Status.Conditions, status.ConditionFailing)
				if failing == nil || failing.Reason != fails || !strings.Contains(failing.Message, cause.Error()) {
					t.Errorf("it fails with %+v, want %s and the server's words", failing, fails)
				}
			})
		}
	}
}

func TestADeploymentWithoutItsObserverSaysSo(t *testing.T) {
	late := statetest.Condition(v1alpha1.ConditionAccepted, "True", "Admitted", 11*time.Minute)
	due := func(o *state.Observed) {
		meta.RemoveStatusCondition(&o.Run.Status.Conditions, v1alpha1.ConditionAccepted)
		late(o)
		o.Store = state.Store{Release: state.ReleaseDeployed, ReadyMembers: 3, Trouble: "pod observer: Error, exit code 1: begin to observe: tried for 4m0s: results server: the results server's volume is full"}
	}
	got := decide.Decide(statetest.Given(statetest.Accepted, due))
	want := "store etcd: 3 of 3 members were ready after 10m0s, and the observer was not ready: pod observer: Error, exit code 1: begin to observe: tried for 4m0s: results server: the results server's volume is full (raise spec.timeouts.deploy if they are only slow; spec.retain: OnFailure keeps them, for a look at their logs)"
	if got.Reason != "DeployTimedOut" || got.Message != want {
		t.Errorf("it decides %s: %s", got.Reason, got.Message)
	}
}

// A merge may take minutes. It holds none of the controller's few workers, and is no error.
func TestAReportThatIsBeingMadeIsAskedForAgain(t *testing.T) {
	o := statetest.Given(statetest.Reported, func(o *state.Observed) {
		meta.RemoveStatusCondition(&o.Run.Status.Conditions, v1alpha1.ConditionReported)
		status.EnsureWorkload(o.Run, "a").StartedAtUnixNanos = 1
	})
	r := &Reconciler{Set: clients.Set{Client: fake.NewClientBuilder().WithScheme(controllers.Scheme()).Build(), Results: statetest.FailingResults{Err: statetest.ErrMerging}}}
	after, err := pass(t, r, o)
	if after != time.Second || err != nil {
		t.Errorf("again after %s, %v", after, err)
	}
	noted := meta.FindStatusCondition(o.Run.Status.Conditions, v1alpha1.ConditionReported)
	if noted == nil || noted.Status != metav1.ConditionUnknown || noted.Reason != status.ReasonMerging || status.IsTrouble(noted) {
		t.Fatalf("noted is %+v", noted)
	}
	for ago, want := range map[time.Duration]decide.Verb{4 * time.Minute: decide.DoCollect, 6 * time.Minute: decide.DoFail} {
		noted.LastTransitionTime = metav1.NewTime(o.Now.Add(-ago))
		if got := decide.Decide(o); got.Verb != want {
			t.Errorf("after %s it decides %s %s", ago, got.Verb, got.Reason)
		}
	}
}
