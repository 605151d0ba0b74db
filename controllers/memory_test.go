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
	"github.com/kvbench/kvbench/internal/monotonic"
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
			deleted := metav1.NewTime(monotonic.Now().Add(apiServer))
			run.DeletionTimestamp = &deleted
			r := &Reconciler{Client: nothing{}}
			first, err := r.observe(t.Context(), run, Memory{})
			must(t, err)
			second, err := r.observe(t.Context(), run, first.Memory)
			must(t, err)
			if !first.Memory.DeletedSince.Equal(first.Now) || !second.Memory.DeletedSince.Equal(first.Now) {
				t.Errorf("seen at %s, it is taken to be deleted since %s and %s", first.Now, first.Memory.DeletedSince, second.Memory.DeletedSince)
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

func TestAMemoryHasACopyThatChangesAlone(t *testing.T) {
	before := Memory{}
	before.deleting("kill", "an-earlier-object", epoch.Add(-time.Hour))
	after := before.clone()
	after.deleting("kill", "a-fault", epoch)
	if got := before.fault("kill", "an-earlier-object").DeletingSince; !got.Equal(epoch.Add(-time.Hour)) {
		t.Errorf("before it was deleted since %s", got)
	}
	if got := after.fault("kill", "a-fault").DeletingSince; !got.Equal(epoch) {
		t.Errorf("an object that was made anew is deleted since %s", got)
	}
}

func TestARunsMemoryIsItsOwn(t *testing.T) {
	var m memories
	run := given().Run
	if got := m.firstSeen(run); !got.IsZero() {
		t.Errorf("before its first pass it was seen at %s", got)
	}
	memory := m.recall(run, epoch)
	memory.SampledAt = epoch.Add(time.Second)
	m.keep(run, memory)
	if got := m.recall(run, epoch.Add(time.Hour)); !got.FirstSeen.Equal(epoch) || !got.SampledAt.Equal(epoch.Add(time.Second)) {
		t.Errorf("it is remembered as %+v", got)
	}
	again := run.DeepCopy()
	again.UID = "of another run with the name"
	if got := m.recall(again, epoch.Add(time.Hour)); !got.FirstSeen.Equal(epoch.Add(time.Hour)) || !got.SampledAt.IsZero() {
		t.Errorf("another run of the name has %+v", got)
	}
	m.forget(keyOfRun(again))
	if got := m.firstSeen(again); !got.IsZero() {
		t.Errorf("after it is gone it was seen at %s", got)
	}
}
