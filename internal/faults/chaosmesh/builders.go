// Package chaosmesh builds the Chaos Mesh object that carries a fault out, and reads from such an
// object how far the injection is.
//
// Chaos Mesh's objects have no precise times and know no roles. So the caller names the pod, and
// keeps the clock.
package chaosmesh

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Injection is one fault with its target resolved.
type Injection struct {
	Meta      metav1.ObjectMeta // name, namespace, labels, owner of the object to build
	Pod       string
	Container string
	Asked     Asked
}

// meta is what the object is to have, with when it was asked for.
func (i Injection) meta() metav1.ObjectMeta {
	meta := *i.Meta.DeepCopy()
	i.Asked.note(&meta)
	return meta
}

// Builder makes the objects of one action.
type Builder struct {
	// Object builds the object whose creation is the injection.
	Object func(Injection) client.Object
	// Kind is what that object is.
	Kind Kind
}

// builders has one for each action of the catalog.
var builders = map[string]Builder{
	"ContainerKill": {containerKill, podChaosKind},
	"PodKill":       {podKill, podChaosKind},
}

// BuilderOf returns the builder of the action of that name.
func BuilderOf(action string) (Builder, bool) {
	builder, known := builders[action]
	return builder, known
}
