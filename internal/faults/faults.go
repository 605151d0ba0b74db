// Package faults is the catalog of what can be done to a store: what an action may hit, what it takes, how it ends,
// and how far an injection is. It imports no client: the package chaosmesh below it builds the objects that carry a
// fault out.
//
// There is one file for each action; registry.go lists them.
package faults

import (
	"encoding/json"
	"time"
)

// Action is one kind of fault. The zero value of each field but Name is that of an action that ends with its
// injection, takes no parameters, and concerns its targets alone.
type Action struct {
	Name string
	// EndsProcess says that the target's process ends by it. Its effect shows in its target or in who leads:
	// other members come and go for reasons of their own.
	EndsProcess bool
	// ReplacesPod says that the member's pod is replaced, so that its data survives only
	// on a volume.
	ReplacesPod bool
	// Lasts says that the fault goes on until it is healed. So it needs a duration.
	Lasts bool
	// HasPeers says that the fault separates its targets from all other members.
	HasPeers bool
	// LeavesRules says that something of the fault stays in its pods when its object is removed by force. So force
	// is safe only once these pods are gone.
	LeavesRules bool
	// CheckParameters says what is wrong with the action's parameters, a JSON object. They are nil where a run sets
	// none. The function is nil for an action that takes none.
	CheckParameters func(parameters json.RawMessage) error
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
	UID          string
	// AskedAfter is just before its object was asked for, on the results server's clock, which was known up to
	// ClockBound then. Zero where the object doesn't tell.
	AskedAfter time.Time
	ClockBound time.Duration
	// Sides are the pods that it names. They are empty where it selects its pods otherwise.
	Sides Sides
	// Pods are the pods of both sides when the object was asked for. They are nil where the object doesn't tell.
	Pods Pods
	// Message is the last thing that Chaos Mesh said of an injection that didn't work.
	Message string
}
