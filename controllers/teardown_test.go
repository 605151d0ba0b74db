package controllers

import (
	"context"
	"errors"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/faults"
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
	if got := r.refused.at("a-fault", o.Now); !got.Equal(epoch) {
		t.Errorf("refused since %s, want %s", got, epoch)
	}
	if got := findFault(o.Run, "kill").Message; got != "the fault's object could not be deleted: healing fault kill: not now" {
		t.Errorf("the status says %q", got)
	}
}
