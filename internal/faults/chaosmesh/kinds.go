package chaosmesh

import (
	"slices"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/internal/faults"
)

// Kind is a kind of Chaos Mesh's objects that carries out actions of the catalog. What watches, lists, heals
// and clears up goes through all kinds. The right to a kind's objects stands as a marker beside it.
type Kind struct {
	Name string
	// Definition is the name of the kind's definition, which must be installed.
	Definition string
	// New returns an empty object, and NewList an empty list, to read into.
	New     func() client.Object
	NewList func() client.ObjectList
	// sides are the pods that an object names. They are empty where the object selects otherwise.
	sides func(client.Object) faults.Sides
}

// Kinds are all kinds, each once.
func Kinds() []Kind { return kinds }

var kinds = []Kind{podChaosKind, networkChaosKind}

// StatesIn are the states of the objects in a list that the kind's NewList made, by the objects' names. Those
// that don't fit are left out.
func (k Kind) StatesIn(list client.ObjectList, fits func(client.Object) bool) map[string]faults.State {
	states := map[string]faults.State{}
	_ = meta.EachListItem(list, func(item runtime.Object) error {
		if object := item.(client.Object); fits(object) {
			states[object.GetName()] = k.StateOf(object)
		}
		return nil
	})
	return states
}

// named are the pods that a selector names in the namespace, sorted; none where it selects otherwise.
func named(selector *chaos.PodSelector, namespace string) []string {
	if len(selector.Selector.Pods) != 1 {
		return nil
	}
	return slices.Sorted(slices.Values(selector.Selector.Pods[namespace]))
}
