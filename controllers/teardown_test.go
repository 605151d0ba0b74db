package controllers

import (
	"context"
	"errors"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
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
