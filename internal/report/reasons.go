package report

import "slices"

// Reason is one cause for which a run's numbers may not be believed.
type Reason struct {
	Reason   string `json:"reason"`
	Message  string `json:"message"`
	Workload string `json:"workload,omitempty"`
	Fault    string `json:"fault,omitempty"`
	// Seconds of the measurement that it concerns, from its start, where it concerns some.
	Seconds []int64 `json:"seconds,omitempty"`
}

// Values of Reason.Reason.
const (
	NotMeasured      = "NotMeasured"      // the workload has no start
	WorkerLost       = "WorkerLost"       // no worker claimed an index, or its files are missing
	FileIncomplete   = "FileIncomplete"   // no end mark, or another content than it says
	FileCorrupt      = "FileCorrupt"      // can't be read, or contradicts another one
	NoFinish         = "NoFinish"         // a worker's file ends without its summary
	ValuesDropped    = "ValuesDropped"    // a histogram could not take a value
	LoadIncomplete   = "LoadIncomplete"   // not all records were seen loaded
	LoadRepeated     = "LoadRepeated"     // a loader was started again; the loading alone isn't valid
	ResultsFull      = "ResultsFull"      // the results server had no room for the rest of a measurement
	NoOperations     = "NoOperations"     // nothing was intended in the measurement
	RateNotAchieved  = "RateNotAchieved"  // sent less than intended, or intended less than planned
	GeneratorLag     = "GeneratorLag"     // sent late, other than for want of a slot
	ArrivalsSkewed   = "ArrivalsSkewed"   // the arrivals don't have the law's distribution
	GeneratorPaused  = "GeneratorPaused"  // garbage collection
	GeneratorStarved = "GeneratorStarved" // CPU quota
	GeneratorStopped = "GeneratorStopped" // the process did not run
	// GeneratorSaturated: operations waited while the generator had no cores to spare.
	GeneratorSaturated = "GeneratorSaturated"
	NothingJudged      = "NothingJudged"  // nobody could see whether the generator did what it should
	LogDelayed         = "LogDelayed"     // seconds were written down late
	ClockUncertain     = "ClockUncertain" // the clocks' bound is unknown or too wide
	ClockStepped       = "ClockStepped"   // a clock was set in the middle
	FaultNotInjected   = "FaultNotInjected"
	FaultIneffective   = "FaultIneffective" // no sign that it worked
	FaultEndUnknown    = "FaultEndUnknown"  // it lasts, and nobody knows when it ended
	FaultPodReplaced   = "FaultPodReplaced" // a pod was replaced while it lasted, and the new one escaped it
	OverdueUnknown     = "OverdueUnknown"   // nothing succeeded before a fault
	TopologyGap        = "TopologyGap"      // the observer was silent around a fault
	NotWholeAtStart    = "NotWholeAtStart"  // it began on what a fault of another workload had broken
	// FaultDurationMissed: it lasted for much longer, or for much less, than it was to last.
	FaultDurationMissed = "FaultDurationMissed"
)

// ReasonsOf are why the numbers of a workload may not be believed, each once: its own reasons, and those of the whole run.
func (r *Report) ReasonsOf(workload string) (reasons []string) {
	for i := range r.InvalidReasons {
		found := &r.InvalidReasons[i]
		if (found.Workload == "" || found.Workload == workload) && !slices.Contains(reasons, found.Reason) {
			reasons = append(reasons, found.Reason)
		}
	}
	return reasons
}
