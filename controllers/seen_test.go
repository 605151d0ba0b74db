package controllers

import (
	"context"
	"testing"
	"time"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/steady"
)

// oneFault is an API server that has one fault object.
type oneFault struct {
	client.Client
	object chaos.PodChaos
}

func (c *oneFault) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	list.(*chaos.PodChaosList).Items = []chaos.PodChaos{c.object}
	return nil
}

func TestADeletionIsTimedByOneClock(t *testing.T) {
	for name, apiServer := range map[string]time.Duration{"in step": 0, "an hour ahead": time.Hour, "an hour behind": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			o := given(measuring(80*time.Second), withFault)
			o.Run.Spec.Faults = []v1alpha1.FaultSpec{{Name: "kill"}}
			deleted := metav1.NewTime(epoch.Add(apiServer))
			c := &oneFault{object: chaos.PodChaos{ObjectMeta: metav1.ObjectMeta{
				Name: faultName(runID(o.Run), "kill"), UID: "a-fault", DeletionTimestamp: &deleted, OwnerReferences: ownedBy(o.Run)}}}
			r := &Reconciler{Client: c}
			for _, after := range []time.Duration{0, time.Second, 90 * time.Second} {
				o.Now = epoch.Add(after)
				if _, err := r.readFaults(t.Context(), o, nil); err != nil {
					t.Fatal(err)
				}
				if held := heldFor(o, o.Faults["kill"]); held != after {
					t.Errorf("after %s it is taken to be held for %s", after, held)
				}
			}
		})
	}
}

func TestARunsDeletionIsTimedByOneClock(t *testing.T) {
	for name, apiServer := range map[string]time.Duration{"in step": 0, "an hour ahead": time.Hour, "an hour behind": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			run := given(deleting).Run
			deleted := metav1.NewTime(steady.Now().Add(apiServer))
			run.DeletionTimestamp = &deleted
			r := &Reconciler{Client: nothing{}}
			first, err := r.observe(t.Context(), run)
			must(t, err)
			second, err := r.observe(t.Context(), run)
			must(t, err)
			if !first.DeletedSince.Equal(first.Now) || !second.DeletedSince.Equal(first.Now) {
				t.Errorf("seen at %s, it is taken to be deleted since %s and %s", first.Now, first.DeletedSince, second.DeletedSince)
			}
		})
	}
}

// nothing is an API server without anything.
type nothing struct{ client.Client }

func (nothing) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

func (nothing) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return apierrors.NewNotFound(schema.GroupResource{}, "")
}

func TestWhatWasSeenIsForgotten(t *testing.T) {
	var seen firstSeen
	seen.since("old", epoch)
	seen.since("young", epoch.Add(time.Minute))
	seen.since("asked for", epoch)
	seen.at("asked for", epoch.Add(time.Minute))
	seen.since("new", epoch.Add(forgetSeen+time.Second))
	if len(seen.seen) != 3 || !seen.at("young", epoch).Equal(epoch.Add(time.Minute)) || !seen.at("asked for", epoch).Equal(epoch) {
		t.Errorf("kept are %v", seen.seen)
	}
	if got := seen.at("old", epoch); !got.IsZero() {
		t.Errorf("what was forgotten was seen at %s", got)
	}
}
