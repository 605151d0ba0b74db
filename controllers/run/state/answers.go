package state

import (
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/faults"
)

// Question is what a decision may need, and not each pass does: its answer costs a request.
type Question string

// Questions that decide asks.
const (
	AskNewest Question = "Newest" // is the run that was read the newest one?
	AskFaults Question = "Faults" // which faults are injected, past the cache?
	AskClocks Question = "Clocks" // how far are this clock and the results server's apart?
	AskSample Question = "Sample" // what does the observer see of the members?
	AskPods   Question = "Pods"   // which pods are at the sides of the faults, past the cache?
	AskRules  Question = "Rules"  // what stays of the faults in these pods, past the cache?
	AskLeft   Question = "Left"   // which ended faults have rules in the pods of endpoints?
)

// Answers are what was asked in this pass. Each is nil until its question was asked.
type Answers struct {
	Newest *bool
	// Faults are the faults' objects, by the faults' names.
	Faults map[string]faults.State
	Clocks *ClockComparison
	Sample *MemberSample
	// Pods are those at the sides of the faults that the status has.
	Pods faults.Pods
	// Rules are what stays of each fault that leaves rules, by the fault's name, and the pod's.
	Rules map[string]map[string]faults.Remains
	Left  *LeftRules
}

// LeftRules is what ended faults, of whomever, have left in the pods that endpoints name.
type LeftRules struct {
	// Trouble is why that isn't known; "" where it is.
	Trouble string
	// Faults are namespaces and names of the faults, by the pods that have rules of them.
	Faults map[string][]string
}

// ClockComparison is an attempt to compare this process's clock with the results server's.
type ClockComparison struct {
	// Trouble is why they could not be compared; "" where they were.
	Trouble string
	// Apart is by how much instants since the last start may be wrong, beyond their bounds.
	Apart time.Duration
}

// MemberSample is an attempt to get a look at the members from the run's observer.
type MemberSample struct {
	// Trouble is why there is none; "" where there is.
	Trouble string
	Line    *bundle.TopologyLine
}

// FaultObject is the state of a fault's object: as the API server told it where it was asked, and
// knows of an injection that the cache doesn't show.
func (o *Observed) FaultObject(name string) faults.State {
	if told := o.Asked.Faults[name]; told.Injected {
		return told
	}
	return o.Faults[name]
}
