package frame

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// defaultDuration is that of a workload whose spec has none.
const defaultDuration = time.Minute

// Aged is what the results server told so long ago, with the ages of now.
func Aged(live *wire.Live, since time.Duration) *wire.Live {
	if live == nil {
		return nil
	}
	aged, more := *live, max(0, since.Milliseconds())
	aged.AgeMillis += more
	aged.MembersAgeMillis += more
	if live.Ended != nil {
		ended := *live.Ended
		ended.AgeMillis += more
		aged.Ended = &ended
	}
	return &aged
}

// measuring says whether the workload was started and is not measured yet.
func measuring(w *v1alpha1.WorkloadStatus) bool {
	return w.StartedAtUnixNanos != 0 && !meta.IsStatusConditionTrue(w.Conditions, v1alpha1.ConditionMeasured)
}

// loadOf is the measurement under way. Where the results server tells nothing of it, the status says how far it is.
func loadOf(run *v1alpha1.BenchmarkRun, at int, live *wire.Live) *Load {
	if at >= len(run.Spec.Workloads) {
		return nil
	}
	spec := &run.Spec.Workloads[at]
	if w := statusOf(run, spec.Name); w == nil || !measuring(w) {
		return nil
	}
	load := &Load{ClosedLoop: closed(run, spec)}
	switch progress := run.Status.Progress; {
	case live != nil && live.Workload == spec.Name:
		load.ElapsedSeconds = elapsed(live)
		load.Figures = figuresOf(live)
	case progress != nil && progress.Workload == spec.Name:
		load.ElapsedSeconds = progress.ElapsedSeconds
	default:
		return nil
	}
	if d, known := durationOf(spec); known {
		seconds := int64(d.Seconds())
		left := seconds - min(max(load.ElapsedSeconds, 0), seconds)
		load.DurationSeconds, load.LeftSeconds = &seconds, &left
	}
	return load
}

// elapsed is from the end of the warm-up to now, whether or not the workers have sent what is of now.
func elapsed(live *wire.Live) int64 {
	seconds := live.ElapsedSeconds + live.AgeMillis/1000
	if len(live.Recent) > 0 {
		seconds++ // to the end of the second that is told
	}
	return seconds
}

// figuresOf is nil before the workers have sent a whole second.
func figuresOf(live *wire.Live) *Figures {
	if len(live.Recent) == 0 {
		return nil
	}
	told := &Figures{AgeSeconds: live.AgeMillis / 1000, Intended: live.Intended, Served: live.Throughput,
		Recent: live.Recent[max(0, len(live.Recent)-wire.RecentSeconds):], RecentErrors: live.RecentErrors}
	if ended := live.Ended; ended != nil {
		told.Ended = &Ended{AgeSeconds: ended.AgeMillis / 1000, Errors: ended.Errors, P99Micros: ended.P99Micros, Response: ended.Response}
	}
	return told
}

// closed says that nothing gives the workload's operations a time of their own. Groups of clients don't: a workload with a rate can't
// have any.
func closed(run *v1alpha1.BenchmarkRun, spec *v1alpha1.WorkloadSpec) bool {
	if spec.Trace != nil {
		return false
	}
	if own := spec.Load; own != nil && (own.Rate != nil || own.RateShape != nil) {
		return false
	}
	return run.Spec.Load.Rate == nil && run.Spec.Load.RateShape == nil
}

// durationOf is how long a workload is measured, if that is known before.
func durationOf(w *v1alpha1.WorkloadSpec) (d time.Duration, known bool) {
	switch {
	case w.Operations != nil, w.Trace != nil && w.Duration == nil:
		return 0, false
	case w.Duration == nil:
		return defaultDuration, true
	}
	return w.Duration.Or(defaultDuration), true
}
