package suite

import (
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Repeatable says that a run that ended so, for these reasons, is made again: the generator or the infrastructure spoilt
// it. What the store did is a result, and is not measured anew until it pleases: one reason of the store's suffices. The same
// holds for a reason that isn't known here, and for a run that was refused, which would be refused again.
func Repeatable(outcome manifest.Outcome, reasons []string) bool {
	known := notValidByAccident
	switch outcome {
	case manifest.Valid:
		return false
	case manifest.Failed:
		known = failedByAccident.Union(failedByAnother)
	}
	return len(reasons) > 0 && known.HasAll(reasons...)
}

// notValidByAccident are the reasons of a report that blame the generator, the infrastructure or a fault that didn't work.
// Those that are missing blame the store, or say that the spec asks for what can't be judged.
var notValidByAccident = sets.New(
	report.WorkerLost, report.FileIncomplete, report.FileCorrupt, report.NoFinish, report.ValuesDropped, report.LoadRepeated,
	report.ResultsFull, report.RateNotAchieved, report.GeneratorLag, report.ArrivalsSkewed, report.GeneratorPaused,
	report.GeneratorStarved, report.GeneratorStopped, report.GeneratorSaturated, report.LogDelayed, report.ClockUncertain,
	report.ClockStepped, report.FaultNotInjected, report.FaultEndUnknown, report.FaultPodReplaced, report.TopologyGap,
	report.FaultDurationMissed,
)

// Reasons of a combination that shares a run which failed by another one, and is not to blame for it.
const (
	ReasonNotBegun    = "NotBegun"    // its turn had not come
	ReasonNotReported = "NotReported" // it was measured, and the run has no report
)

// failedByAccident are the reasons of a run's condition Failed that blame the generator or the infrastructure.
var failedByAccident = sets.New(
	"MeasurementLost", "ArmFailed", "ArmTimedOut", "AdmitTimedOut", "PlanLost", "FilesLost", "ChartLost", "ReportFailed",
	"FaultNotInjected", "ClockStepped", "ClockUnknown", "ResultsDiskFull",
)

// failedByAnother are those that blame another combination of the run.
var failedByAnother = sets.New(ReasonNotBegun, ReasonNotReported)
