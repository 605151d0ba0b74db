package observe

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
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/internal/monotonic"
)

// oneFault is an API server that has one fault object.
type oneFault struct {
	client.Client
	object chaos.PodChaos
}

func (c *oneFault) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	if kills, is := list.(*chaos.PodChaosList); is {
		kills.Items = []chaos.PodChaos{c.object}
	}
	return nil
}

func TestADeletionIsTimedByOneClock(t *testing.T) {
	for name, apiServer := range map[string]time.Duration{"in step": 0, "an hour ahead": time.Hour, "an hour behind": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			o := statetest.Given(statetest.Measuring(80*time.Second), statetest.WithFault)
			o.Run.Spec.Faults = []v1alpha1.FaultSpec{{Name: "kill"}}
			deleted := metav1.NewTime(statetest.Epoch.Add(apiServer))
			c := &oneFault{object: chaos.PodChaos{ObjectMeta: metav1.ObjectMeta{
				Name: names.FaultName(names.RunID(o.Run), "kill"), UID: "a-fault", DeletionTimestamp: &deleted, OwnerReferences: names.OwnedBy(o.Run)}}}
			r := &Reader{Set: clients.Set{Client: c}}
			for _, after := range []time.Duration{0, time.Second, 90 * time.Second} {
				o.Now = statetest.Epoch.Add(after)
				if err := r.readFaults(t.Context(), o, nil); err != nil {
					t.Fatal(err)
				}
				if held := decide.HeldFor(o, o.Faults["kill"]); held != after {
					t.Errorf("after %s it is taken to be held for %s", after, held)
				}
			}
		})
	}
}

func TestARunsDeletionIsTimedByOneClock(t *testing.T) {
	for name, apiServer := range map[string]time.Duration{"in step": 0, "an hour ahead": time.Hour, "an hour behind": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			run := statetest.Given(statetest.Deleting).Run
			deleted := metav1.NewTime(monotonic.Now().Add(apiServer))
			run.DeletionTimestamp = &deleted
			r := &Reader{Set: clients.Set{Client: nothing{}}}
			first, err := r.Observe(t.Context(), run, state.Memory{})
			statetest.Must(t, err)
			second, err := r.Observe(t.Context(), run, first.Memory)
			statetest.Must(t, err)
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
