package act

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
)

// A status that changed would bring the next pass at once, for ever.
func TestTidyingLeavesTheStatusAsItIs(t *testing.T) {
	o := statetest.Given(statetest.Reported, statetest.Left("Pod m-0"), statetest.Condition(v1alpha1.ConditionCleanedUp, "False", status.ReasonTimedOut, time.Hour),
		statetest.Condition(v1alpha1.ConditionComplete, "True", "Finished", time.Hour))
	before := o.Run.DeepCopy()
	(&Actor{Set: clients.Set{Client: statetest.Undeletable{}, Direct: statetest.Undeletable{}}}).tidy(t.Context(), o)
	if !equality.Semantic.DeepEqual(before.Status, o.Run.Status) {
		t.Errorf("the conditions became %+v", o.Run.Status.Conditions)
	}
}

// The first refusal counts, not the API server's stamp: there is none.
func TestARefusedDeletionIsTimedAndNamed(t *testing.T) {
	o := statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault, statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, UID: "a-fault"}))
	r := &Actor{Set: clients.Set{Client: statetest.Undeletable{}}}
	for _, after := range []time.Duration{0, time.Minute} {
		o.Now = statetest.Epoch.Add(after)
		again, err := r.Act(t.Context(), o, decide.Decision{Verb: decide.DoHealFault, Fault: "kill"})
		if err != nil || again == 0 || again > 2*time.Second {
			t.Errorf("it is tried again after %s (%v): the next fault may be due", again, err)
		}
	}
	for _, state := range []string{v1alpha1.FaultNotInjected, v1alpha1.FaultInjected} {
		failed := statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault, statetest.FaultIs(v1alpha1.FaultStatus{State: state, Message: "why it is so"}, faults.State{Exists: true}))
		if again, err := r.Act(t.Context(), failed, decide.Decision{Verb: decide.DoHealFault, Fault: "kill"}); err != nil || again == 0 {
			t.Errorf("it is tried again after %s (%v)", again, err)
		}
		if got := status.FindFault(failed.Run, "kill").Message; got != "why it is so" {
			t.Errorf("%s: what was said of it is now %q", state, got)
		}
	}
	if got := o.Memory.Fault("kill", "a-fault").RefusedSince; !got.Equal(statetest.Epoch) {
		t.Errorf("refused since %s, want %s", got, statetest.Epoch)
	}
	if got := status.FindFault(o.Run, "kill").Message; got != "the fault's object could not be deleted: healing fault kill: not now" {
		t.Errorf("the status says %q", got)
	}
}

// The deletion may be done while the note of it is lost: then the object is found gone.
func TestARefusalIsForgottenWhenTheObjectIsGone(t *testing.T) {
	for reason, want := range map[string]string{v1alpha1.FaultNotDeleted: "", "": "what is known of it"} {
		noted := v1alpha1.FaultStatus{State: v1alpha1.FaultInjected, Reason: reason, Message: "what is known of it"}
		o := statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault, statetest.FaultIs(noted, faults.State{}))
		if _, err := (&Actor{}).Act(t.Context(), o, decide.Decision{Verb: decide.DoNoteHealed, Fault: "kill"}); err != nil {
			t.Fatal(err)
		}
		if got := status.FindFault(o.Run, "kill"); got.State != v1alpha1.FaultHealed || got.Message != want || got.Reason != "" {
			t.Errorf("of the reason %q it became %+v", reason, got)
		}
	}
}

func TestForceKeepsWhatWasWrongWithTheFault(t *testing.T) {
	const lost = "m-0 was replaced"
	for reason, want := range map[string]struct{ reason, says string }{
		"":                        {"", "force did not help"},
		v1alpha1.FaultNotDeleted:  {"", "force did not help"},
		v1alpha1.FaultPodReplaced: {v1alpha1.FaultPodReplaced, lost},
		v1alpha1.FaultEndedEarly:  {v1alpha1.FaultEndedEarly, lost},
	} {
		noted := v1alpha1.FaultStatus{State: v1alpha1.FaultInjected, Reason: reason, Message: lost}
		o := statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault, statetest.FaultIs(noted, faults.State{Exists: true, Deleting: true}))
		if _, err := (&Actor{Set: clients.Set{Client: statetest.Undeletable{}}}).Act(t.Context(), o, decide.Decision{Verb: decide.DoForceFault, Fault: "kill"}); err != nil {
			t.Fatal(err)
		}
		if got := status.FindFault(o.Run, "kill"); got.Reason != want.reason || !strings.Contains(got.Message, want.says) {
			t.Errorf("of the reason %q it became %+v", reason, got)
		}
	}
}

// Each fault has two minutes, and all have the same ones.
func TestRefusedDeletionsAreTriedByTurns(t *testing.T) {
	const faulty = 16
	named := func(i int) string { return fmt.Sprintf("kill-%02d", i) }
	for what, change := range map[string]statetest.Situation{
		"in the measurement": func(*state.Observed) {},
		"after it":           statetest.WorkloadAt("a", v1alpha1.ConditionMeasured),
		"in a namespace that goes": func(o *state.Observed) {
			statetest.Deleting(o)
			o.NamespaceGoing = true
		},
	} {
		t.Run(what, func(t *testing.T) {
			o := statetest.Given(statetest.Measuring(10*time.Minute), change)
			for i := range faulty {
				fault := plan.Fault{Name: named(i), Workload: "a", Action: "ContainerKill"}
				o.Plan.Faults = append(o.Plan.Faults, fault)
				status.EnsureFault(o.Run, fault.Name).State = v1alpha1.FaultInjected
				o.Faults[fault.Name] = faults.State{Exists: true, Injected: true, UID: fault.Name}
			}
			r := &Actor{Set: clients.Set{Client: statetest.Undeletable{}}}
			tried := map[string]int{}
			for after := time.Duration(0); ; after += time.Second {
				o.Now = statetest.Epoch.Add(after)
				d := decide.Decide(o)
				if d.Verb != decide.DoHealFault {
					if after > decide.ForceDeadline+(faulty+1)*time.Second {
						t.Errorf("it is given up after %s", after)
					}
					break
				}
				tried[d.Fault]++
				if _, err := r.Act(t.Context(), o, d); err != nil {
					t.Fatal(err)
				}
				for name, found := range o.Faults {
					found.RefusedSince = o.Memory.Fault(name, found.UID).RefusedSince
					o.Faults[name] = found
				}
			}
			for i := range faulty {
				if tried[named(i)] < 3 {
					t.Errorf("fault %s was tried %d times", named(i), tried[named(i)])
				}
			}
		})
	}
}

func TestTroublesOfATeardownKeepTheirOrder(t *testing.T) {
	var first string
	for range 50 {
		o := statetest.Given(statetest.Reported)
		for i := range 8 {
			o.Faults[fmt.Sprintf("kill-%d", i)] = faults.State{Exists: true}
			o.Jobs[fmt.Sprintf("job-%d", i)] = state.Job{Exists: true}
		}
		r := &Actor{Set: clients.Set{Client: statetest.Undeletable{}, Direct: statetest.Undeletable{}}}
		if err := r.tearDown(t.Context(), o); err == nil {
			t.Fatal("nothing was refused")
		}
		message := meta.FindStatusCondition(o.Run.Status.Conditions, v1alpha1.ConditionCleanedUp).Message
		if first == "" {
			first = message
		}
		if message != first {
			t.Fatalf("the message was %q, and is %q", first, message)
		}
		if err := r.deleteJobs(t.Context(), o); err == nil || !strings.Contains(err.Error(), "job-0") {
			t.Fatalf("the first Job that stays is %v", err)
		}
	}
}
