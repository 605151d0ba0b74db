package plan

import "time"

// What a pod of a run has when it is told to end.
const (
	// TerminationGrace is the time after which Kubernetes kills it.
	TerminationGrace = 30 * time.Second
	// LastShipping is the time for what the results server lacks. The rest of the grace is for what
	// is under way then: a look at the members, or an operation until its deadline.
	LastShipping = 20 * time.Second
)
