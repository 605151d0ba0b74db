package controllers

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/bundle"
	results "github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/results/wire"
)

var (
	errNoRoom  = &results.Error{Status: 507, Problem: wire.Problem{Error: "the results server's volume is full: enlarge it", Reason: wire.ReasonFull}}
	errAway    = &results.Error{Status: 503, Problem: wire.Problem{Error: "busy", Reason: wire.ReasonUnavailable}}
	errMerging = &results.Error{Status: 503, Problem: wire.Problem{Error: "the report is being made", Reason: wire.ReasonMerging}}
	errToken   = &results.Error{Status: 401, Problem: wire.Problem{Error: "the token is expired", Reason: wire.ReasonUnauthenticated}}
)

// refusing is a results server that answers everything with an error.
type refusing struct{ err error }

func (r refusing) EstimateClock(context.Context, int) (bundle.Clock, error) {
	return bundle.Clock{}, r.err
}
func (r refusing) Check(context.Context, string, []byte) error    { return r.err }
func (r refusing) Register(context.Context, string, []byte) error { return r.err }
func (r refusing) Withdraw(context.Context, string) error         { return r.err }
func (r refusing) StartIn(context.Context, string, string, time.Duration) (bundle.Start, error) {
	return bundle.Start{}, r.err
}
func (r refusing) PutFaults(context.Context, string, []byte) error    { return r.err }
func (r refusing) MakeReport(context.Context, string) ([]byte, error) { return nil, r.err }

// A step that needs the results server is tried until its deadline, which counts from the
// first attempt that failed, and then fails with a reason that names the disk if it is that.
func TestARunWaitsForTheResultsServerAndThenSaysWhatItWaitedFor(t *testing.T) {
	armed := func(o *observed) {
		measuring(0)(o)
		ensureWorkload(o.Run, "a").StartedAtUnixNanos = 0
	}
	toCollect := func(o *observed) {
		reported(o)
		meta.RemoveStatusCondition(&o.Run.Status.Conditions, v1alpha1.ConditionReported)
		ensureWorkload(o.Run, "a").StartedAtUnixNanos = 1
	}
	queued := func(o *observed) {
		planned(o)
		o.Slot.Held = true
		condition(v1alpha1.ConditionAccepted, "Unknown", reasonQueued, 3*time.Hour)(o)
	}
	for _, step := range []struct {
		name     string
		given    situation
		verb     verb
		waits    string // the reason while it waits
		fails    string // and at the end, when the disk isn't the cause
		deadline time.Duration
		noted    func(*v1alpha1.BenchmarkRun) *metav1.Condition
	}{
		{"its turn", queued, doAccept, reasonAdmitting, "AdmitTimedOut", admitDeadline, func(run *v1alpha1.BenchmarkRun) *metav1.Condition {
			return meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionAccepted)
		}},
		{"the start", armed, doStart, reasonNotPosted, "StartTimedOut", startDeadline, func(run *v1alpha1.BenchmarkRun) *metav1.Condition {
			return workloadCondition(run, "a", v1alpha1.ConditionMeasured)
		}},
		{"the report", toCollect, doCollect, reasonNotStored, "CollectTimedOut", 5 * time.Minute, func(run *v1alpha1.BenchmarkRun) *metav1.Condition {
			return meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionReported)
		}},
	} {
		for _, cause := range []error{errNoRoom, errAway, errToken} {
			t.Run(step.name+", "+cause.Error(), func(t *testing.T) {
				waits, fails := step.waits, step.fails
				if errors.Is(cause, results.ErrFull) {
					waits, fails = reasonDiskFull, reasonDiskFull
				}
				o := given(step.given)
				r := &Reconciler{Results: refusing{cause}}
				pass := func(now time.Time) error {
					o.Now = now
					d := decide(o)
					_, err := r.act(t.Context(), o, d)
					if d.Verb != step.verb && d.Verb != doFail {
						t.Fatalf("at %s it decides %s %s", now, d.Verb, d.Reason)
					}
					return err
				}
				// However long ago the step before ended, the first attempt is made.
				first := epoch.Add(48 * time.Hour)
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
				if isTrue(o.Run, conditionFailing) {
					t.Fatal("it failed before its deadline")
				}
				if err := pass(first.Add(step.deadline + time.Second)); err != nil {
					t.Fatalf("after the deadline: %v", err)
				}
				failing := meta.FindStatusCondition(o.Run.Status.Conditions, conditionFailing)
				if failing == nil || failing.Reason != fails || !strings.Contains(failing.Message, cause.Error()) {
					t.Errorf("it fails with %+v, want %s and the server's words", failing, fails)
				}
			})
		}
	}
}

func TestADeploymentWithoutItsObserverSaysSo(t *testing.T) {
	late := condition(v1alpha1.ConditionAccepted, "True", "Admitted", 11*time.Minute)
	due := func(o *observed) {
		meta.RemoveStatusCondition(&o.Run.Status.Conditions, v1alpha1.ConditionAccepted)
		late(o)
		o.Store = storeState{Release: releaseDeployed, ReadyMembers: 3, Trouble: "pod observer: Error, exit code 1: begin to observe: tried for 4m0s: results server: the results server's volume is full"}
	}
	got := decide(given(accepted, due))
	want := "store etcd: 3 of 3 members were ready after 10m0s, and the observer was not ready: pod observer: Error, exit code 1: begin to observe: tried for 4m0s: results server: the results server's volume is full (raise spec.timeouts.deploy if they are only slow; spec.retain: OnFailure keeps them, for a look at their logs)"
	if got.Reason != "DeployTimedOut" || got.Message != want {
		t.Errorf("it decides %s: %s", got.Reason, got.Message)
	}
}

func TestAFailedRunIsNotHeldUpByAReportThatCannotBeMade(t *testing.T) {
	lost := condition(conditionFailing, "True", "MeasurementLost", time.Hour)
	gone := func(o *observed) { o.Jobs = nil }
	since := func(ago time.Duration) situation {
		return condition(v1alpha1.ConditionReported, "Unknown", reasonNotStored, ago)
	}
	for _, c := range []struct {
		name  string
		given *observed
		over  bool
	}{
		{"the first attempt", given(measuring(time.Hour), lost, gone), false},
		{"within the deadline", given(measuring(time.Hour), lost, gone, since(4*time.Minute)), false},
		{"past the deadline", given(measuring(time.Hour), lost, gone, since(6*time.Minute)), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := decide(c.given); got.Verb != doCollect {
				t.Fatalf("it decides %s %s", got.Verb, got.Reason)
			}
			_, err := (&Reconciler{Results: refusing{errAway}}).collect(t.Context(), c.given)
			noted := meta.FindStatusCondition(c.given.Run.Status.Conditions, v1alpha1.ConditionReported)
			if over := noted.Status == metav1.ConditionFalse; over != c.over || (err == nil) != c.over {
				t.Errorf("%+v: %v", noted, err)
			}
			if c.over && decide(c.given).Verb != doTearDown {
				t.Errorf("then it decides %s", decide(c.given).Verb)
			}
		})
	}
}

// A merge may take minutes. It holds none of the controller's few workers, and is no error.
func TestAReportThatIsBeingMadeIsAskedForAgain(t *testing.T) {
	o := given(reported, func(o *observed) {
		meta.RemoveStatusCondition(&o.Run.Status.Conditions, v1alpha1.ConditionReported)
		ensureWorkload(o.Run, "a").StartedAtUnixNanos = 1
	})
	r := &Reconciler{Results: refusing{errMerging}}
	after, err := pass(t, r, o)
	if after != askAgain || err != nil {
		t.Errorf("again after %s, %v", after, err)
	}
	noted := meta.FindStatusCondition(o.Run.Status.Conditions, v1alpha1.ConditionReported)
	if noted == nil || noted.Status != metav1.ConditionUnknown || noted.Reason != reasonMerging || isTrouble(noted) {
		t.Fatalf("noted is %+v", noted)
	}
	for ago, want := range map[time.Duration]verb{4 * time.Minute: doCollect, 6 * time.Minute: doFail} {
		noted.LastTransitionTime = metav1.NewTime(o.Now.Add(-ago))
		if got := decide(o); got.Verb != want {
			t.Errorf("after %s it decides %s %s", ago, got.Verb, got.Reason)
		}
	}
}

func TestTheMergeOfALongMeasurementMayTakeLonger(t *testing.T) {
	long := func(o *observed) {
		o.Plan.Workloads[0].Load.Workers, o.Plan.Workloads[0].DurationMillis = 95, time.Hour.Milliseconds()
	}
	set := func(o *observed) { o.Run.Spec.Timeouts.Collect = "1m" }
	for name, c := range map[string]struct {
		given *observed
		want  time.Duration
	}{
		"a short one":       {given(planned), 5 * time.Minute},
		"95 hours":          {given(planned, long), 5*time.Minute + 950*time.Second},
		"what the run says": {given(planned, long, set), time.Minute},
	} {
		if got := mergeDeadline(c.given); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
