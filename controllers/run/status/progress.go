package status

import (
	"fmt"
	"math"
	"strings"
	"time"

	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/internal/plan"
)

// ProgressEvery is how often status.progress moves.
const ProgressEvery = 5 * time.Second

const phaseMeasuring = "Measuring"

// ProgressAt is how far a measurement is when so much time has elapsed since its warm-up. It moves in
// steps of ProgressEvery: each note brings another pass at once, and that pass must not note a little
// more.
func ProgressAt(w *plan.Workload, elapsed time.Duration) *v1alpha1.Progress {
	if elapsed > 0 {
		elapsed = elapsed.Truncate(ProgressEvery)
	}
	p := &v1alpha1.Progress{Workload: w.Name, ElapsedSeconds: int64(math.Floor(elapsed.Seconds()))}
	if duration := time.Duration(w.DurationMillis) * time.Millisecond; duration > 0 {
		p.Percent = ptr.To(int32(min(max(elapsed, 0), duration) * 100 / duration))
	}
	return p
}

// HowFar says it in a word.
func HowFar(p *v1alpha1.Progress) string {
	switch minutes := p.ElapsedSeconds / 60; {
	case p.ElapsedSeconds < 0:
		return "warm-up"
	case p.Percent != nil:
		return fmt.Sprintf("%d%%", *p.Percent)
	case minutes == 0:
		return "<1m"
	default:
		return fmt.Sprintf("%dm", minutes)
	}
}

// shownProgress is the progress of a measurement that is under way, in its words; nil of other
// phases.
func shownProgress(run *v1alpha1.BenchmarkRun) *v1alpha1.Progress {
	p := run.Status.Progress
	if p == nil || run.Status.Phase != phaseMeasuring {
		return nil
	}
	p = p.DeepCopy()
	p.Done = HowFar(p)
	if fault := latestFault(run, p.Workload); fault != nil {
		p.Done += fmt.Sprintf(", %s %s", fault.Name, strings.ToLower(fault.State))
	}
	return p
}

// latestFault is the workload's fault that something happened to last; nil where there is none.
func latestFault(run *v1alpha1.BenchmarkRun, workload string) (latest *v1alpha1.FaultStatus) {
	for _, spec := range run.Spec.Faults {
		fault := FindFault(run, spec.Name)
		if message.FirstOf(spec.Workload, run.Spec.Workloads[0].Name) != workload || fault.State == "" {
			continue
		}
		if latest == nil || fault.RequestedUnixNanos >= latest.RequestedUnixNanos {
			latest = fault
		}
	}
	return latest
}
