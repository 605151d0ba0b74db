// Package chaosmesh builds the Chaos Mesh object that carries a fault out, and reads from such an
// object how far the injection is.
//
// Chaos Mesh's objects have no precise times and know no roles. So the caller names the pods, and
// keeps the clock.
package chaosmesh

import (
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/internal/faults"
)

// Injection is one fault with its targets resolved.
type Injection struct {
	Meta      metav1.ObjectMeta // name, namespace, labels, owner of the object to build
	Sides     faults.Sides
	Container string
	// Parameters are what the action takes, a JSON object; nil where the run sets none.
	Parameters json.RawMessage
	// Lasts is how long the fault is to last; 0 where it ends with its injection.
	Lasts time.Duration
	Asked Asked
	// Pods are the pods of both sides now; nil of a fault that ends with its injection.
	Pods faults.Pods
}

// meta is what the object is to have, with when it was asked for, and for which pods.
func (i Injection) meta() metav1.ObjectMeta {
	meta := *i.Meta.DeepCopy()
	i.Asked.note(&meta)
	notePods(&meta, i.Pods)
	return meta
}

// Builder makes the objects of one action.
type Builder struct {
	// Object builds the object whose creation is the injection.
	Object func(Injection) (client.Object, error)
	// Kind is what that object is.
	Kind Kind
}

// builders has one for each action of the catalog.
var builders = map[string]Builder{
	"ContainerKill": {containerKill, podChaosKind},
	"PodKill":       {podKill, podChaosKind},
	"Partition":     {partition, networkChaosKind},
}

// BuilderOf returns the builder of the action of that name.
func BuilderOf(action string) (Builder, bool) {
	builder, known := builders[action]
	return builder, known
}
