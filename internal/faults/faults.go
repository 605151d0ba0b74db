// Package faults turns a fault of the plan into a Chaos Mesh object, and reads from such
// an object whether the injection took place.
//
// There is one file for each action; registry.go lists them. Chaos Mesh's objects carry
// no precise times and know no roles, so the caller names the pod and keeps the clock.
package faults

import (
	"strings"
	"time"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Action is one kind of fault.
type Action struct {
	Name string
	// ReplacesPod says that the member's pod is replaced, so that its data survives only
	// on a volume.
	ReplacesPod bool
	// Object builds the object whose creation is the injection.
	Object func(Injection) client.Object
	// New returns an empty object of the same kind, to read into.
	New func() client.Object
	// CRD is the name of the definition that must be installed.
	CRD string
}

// Injection is one fault with its target resolved.
type Injection struct {
	Meta      metav1.ObjectMeta // name, namespace, labels, owner of the object to build
	Pod       string
	Container string
}

// State is how far an injection is.
type State struct {
	Exists   bool
	Injected bool
	Deleting bool
	// DeletingSince is when its deletion was asked for; zero before.
	DeletingSince time.Time
	// RefusedSince is when an attempt to delete it was first refused; zero where none was.
	RefusedSince time.Time
	UID          types.UID
	// Pod is its target; empty where it isn't one pod that is named.
	Pod string
	// Message is the last thing that Chaos Mesh said of an injection that didn't work.
	Message string
}

// StateOf reads the state of an object that an Action built.
func StateOf(object client.Object) State {
	state := State{Exists: true, UID: object.GetUID()}
	if at := object.GetDeletionTimestamp(); !at.IsZero() {
		state.Deleting, state.DeletingSince = true, at.Time
	}
	if kill, ok := object.(*chaos.PodChaos); ok {
		state.Pod = podOf(kill)
	}
	inner, ok := object.(chaos.StatefulObject)
	if !ok {
		return state
	}
	status := inner.GetStatus()
	selected := true
	for _, condition := range status.Conditions {
		switch condition.Type {
		case chaos.ConditionAllInjected:
			state.Injected = condition.Status == "True"
		case chaos.ConditionSelected:
			selected = condition.Status == "True"
		}
	}
	if !state.Injected {
		state.Message = lastFailure(status, selected)
	}
	return state
}

func lastFailure(status *chaos.ChaosStatus, selected bool) string {
	var messages []string
	for _, record := range status.Experiment.Records {
		for i := len(record.Events) - 1; i >= 0; i-- {
			if event := record.Events[i]; event.Type == chaos.TypeFailed && event.Message != "" {
				messages = append(messages, event.Message)
				break
			}
		}
	}
	if len(messages) == 0 {
		if len(status.Conditions) == 0 {
			return "Chaos Mesh has not taken up the object: is its controller running?"
		}
		if !selected {
			return "Chaos Mesh found no pod to select"
		}
		return "Chaos Mesh has not reported the injection, nor a failure: is its daemon running on the member's node?"
	}
	return strings.Join(messages, "; ")
}
