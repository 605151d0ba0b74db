package chaosmesh

import (
	"slices"
	"testing"
	"time"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/internal/faults"
)

func TestEachActionOfTheCatalogHasABuilder(t *testing.T) {
	if len(builders) != len(faults.Names()) {
		t.Errorf("%d builders for the actions %v", len(builders), faults.Names())
	}
	for _, action := range faults.Names() {
		builder, known := BuilderOf(action)
		if !known {
			t.Errorf("no builder for %s", action)
			continue
		}
		sides := faults.Sides{Targets: []string{"m-1"}}
		if found, _ := faults.Find(action); found.HasPeers {
			sides.Peers = []string{"m-0", "m-2"}
		}
		object, err := builder.Object(Injection{Meta: metav1.ObjectMeta{Namespace: "n", Name: "f"}, Sides: sides, Container: "store", Lasts: time.Second})
		if err != nil {
			t.Errorf("%s: %v", action, err)
			continue
		}
		if state := builder.Kind.StateOf(object); !state.Exists || state.Injected || !state.Sides.Equal(sides) {
			t.Errorf("%s: the state of an object that was just built is %+v", action, state)
		}
		if !slices.ContainsFunc(Kinds(), func(kind Kind) bool { return kind.Definition == builder.Kind.Definition }) {
			t.Errorf("%s is carried out by the kind %s, which nobody watches, lists or heals", action, builder.Kind.Name)
		}
	}
}

func TestEachKindIsListedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, kind := range Kinds() {
		if kind.Name == "" || kind.Definition == "" || seen[kind.Definition] {
			t.Errorf("the kind %q of the definition %q is there twice, or lacks a name", kind.Name, kind.Definition)
		}
		seen[kind.Definition] = true
		if kind.New() == nil || len(kind.StatesIn(kind.NewList(), func(client.Object) bool { return true })) != 0 {
			t.Errorf("%s has no object or no list to read into", kind.Name)
		}
	}
}

func TestStatesAreThoseOfTheObjectsThatFit(t *testing.T) {
	list := &chaos.PodChaosList{Items: make([]chaos.PodChaos, 2)}
	list.Items[0].Name, list.Items[1].Name = "mine", "another's"
	list.Items[0].Status.Conditions = []chaos.ChaosCondition{{Type: chaos.ConditionAllInjected, Status: corev1.ConditionTrue}}
	states := podChaosKind.StatesIn(list, func(object client.Object) bool { return object.GetName() == "mine" })
	if len(states) != 1 || !states["mine"].Injected {
		t.Errorf("states %+v", states)
	}
}
