package controllers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
)

// undeletable is an API server that has nothing, and deletes nothing.
type undeletable struct{ client.Client }

func (undeletable) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

func (undeletable) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return errors.New("not now")
}

func (undeletable) Delete(context.Context, client.Object, ...client.DeleteOption) error {
	return errors.New("not now")
}

// A status that changed would bring the next pass at once, for ever.
func TestTidyingLeavesTheStatusAsItIs(t *testing.T) {
	o := given(reported, left("Pod m-0"), condition(v1alpha1.ConditionCleanedUp, "False", reasonTimedOut, time.Hour),
		condition(v1alpha1.ConditionComplete, "True", "Finished", time.Hour))
	before := o.Run.DeepCopy()
	(&Reconciler{Client: undeletable{}, Direct: undeletable{}}).tidy(t.Context(), o)
	if !equality.Semantic.DeepEqual(before.Status, o.Run.Status) {
		t.Errorf("the conditions became %+v", o.Run.Status.Conditions)
	}
}

// The first refusal counts, not the API server's stamp: there is none.
func TestARefusedDeletionIsTimedAndNamed(t *testing.T) {
	o := given(measuring(80*time.Second), withFault, faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, UID: "a-fault"}))
	r := &Reconciler{Client: undeletable{}}
	for _, after := range []time.Duration{0, time.Minute} {
		o.Now = epoch.Add(after)
		again, err := r.act(t.Context(), o, decision{Verb: doHealFault, Fault: "kill"})
		if err != nil || again == 0 || again > 2*time.Second {
			t.Errorf("it is tried again after %s (%v): the next fault may be due", again, err)
		}
	}
	for _, state := range []string{v1alpha1.FaultNotInjected, v1alpha1.FaultInjected} {
		failed := given(measuring(80*time.Second), withFault, faultIs(v1alpha1.FaultStatus{State: state, Message: "why it is so"}, faults.State{Exists: true}))
		if again, err := r.act(t.Context(), failed, decision{Verb: doHealFault, Fault: "kill"}); err != nil || again == 0 {
			t.Errorf("it is tried again after %s (%v)", again, err)
		}
		if got := findFault(failed.Run, "kill").Message; got != "why it is so" {
			t.Errorf("%s: what was said of it is now %q", state, got)
		}
	}
	if got := o.Memory.fault("kill", "a-fault").RefusedSince; !got.Equal(epoch) {
		t.Errorf("refused since %s, want %s", got, epoch)
	}
	if got := findFault(o.Run, "kill").Message; got != "the fault's object could not be deleted: healing fault kill: not now" {
		t.Errorf("the status says %q", got)
	}
}

// The deletion may be done while the note of it is lost: then the object is found gone.
func TestARefusalIsForgottenWhenTheObjectIsGone(t *testing.T) {
	for reason, want := range map[string]string{v1alpha1.FaultNotDeleted: "", "": "what is known of it"} {
		status := v1alpha1.FaultStatus{State: v1alpha1.FaultInjected, Reason: reason, Message: "what is known of it"}
		o := given(measuring(80*time.Second), withFault, faultIs(status, faults.State{}))
		if _, err := (&Reconciler{}).act(t.Context(), o, decision{Verb: doNoteHealed, Fault: "kill"}); err != nil {
			t.Fatal(err)
		}
		if got := findFault(o.Run, "kill"); got.State != v1alpha1.FaultHealed || got.Message != want || got.Reason != "" {
			t.Errorf("of the reason %q it became %+v", reason, got)
		}
	}
}

// Each fault has two minutes, and all have the same ones.
func TestRefusedDeletionsAreTriedByTurns(t *testing.T) {
	const faulty = 16
	named := func(i int) string { return fmt.Sprintf("kill-%02d", i) }
	for what, change := range map[string]situation{
		"in the measurement": func(*observed) {},
		"after it":           workloadAt("a", v1alpha1.ConditionMeasured),
		"in a namespace that goes": func(o *observed) {
			deleting(o)
			o.NamespaceGoing = true
		},
	} {
		t.Run(what, func(t *testing.T) {
			o := given(measuring(10*time.Minute), change)
			for i := range faulty {
				fault := plan.Fault{Name: named(i), Workload: "a", Action: "ContainerKill"}
				o.Plan.Faults = append(o.Plan.Faults, fault)
				ensureFault(o.Run, fault.Name).State = v1alpha1.FaultInjected
				o.Faults[fault.Name] = faults.State{Exists: true, Injected: true, UID: types.UID(fault.Name)}
			}
			r := &Reconciler{Client: undeletable{}}
			tried := map[string]int{}
			for after := time.Duration(0); ; after += time.Second {
				o.Now = epoch.Add(after)
				d := decide(o)
				if d.Verb != doHealFault {
					if after > forceDeadline+(faulty+1)*time.Second {
						t.Errorf("it is given up after %s", after)
					}
					break
				}
				tried[d.Fault]++
				if _, err := r.act(t.Context(), o, d); err != nil {
					t.Fatal(err)
				}
				for name, state := range o.Faults {
					state.RefusedSince = o.Memory.fault(name, state.UID).RefusedSince
					o.Faults[name] = state
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

// What was refused an hour ago, while the workload was measured, is tried when it is over.
func TestARefusedDeletionIsTriedAgainAfterTheMeasurement(t *testing.T) {
	o := given(measuring(80*time.Minute), withFault, job("measure-a", jobState{Complete: true}),
		faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, Injected: true, UID: "a-fault", RefusedSince: epoch.Add(-time.Hour)}))
	r := &Reconciler{Client: undeletable{}, Results: &clocks{local: epoch}}
	o.Memory.refused("kill", "a-fault", epoch.Add(-time.Hour))
	if _, err := pass(t, r, o); err != nil || !workloadIs(o.Run, "a", v1alpha1.ConditionMeasured) {
		t.Fatalf("it is not measured: %v", err)
	}
	for after, want := range []verb{doHealFault, doHealFault, doSetWorkload} {
		o.Now = epoch.Add(time.Duration(after) * (forceDeadline/2 + time.Second))
		state := o.Faults["kill"]
		state.RefusedSince = o.Memory.fault("kill", state.UID).RefusedSince
		o.Faults["kill"] = state
		d := decide(o)
		if d.Verb != want {
			t.Fatalf("after %s: %s %s, want %s", o.Now.Sub(epoch), d.Verb, d.Message, want)
		}
		if _, err := r.act(t.Context(), o, d); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTroublesOfATeardownKeepTheirOrder(t *testing.T) {
	var first string
	for range 50 {
		o := given(reported)
		for i := range 8 {
			o.Faults[fmt.Sprintf("kill-%d", i)] = faults.State{Exists: true}
			o.Jobs[fmt.Sprintf("job-%d", i)] = jobState{Exists: true}
		}
		r := &Reconciler{Client: undeletable{}, Direct: undeletable{}}
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
