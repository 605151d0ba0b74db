package decide

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/rate"
)

// AdmitDeadline bounds the attempts to admit a run, from the first one that failed.
const AdmitDeadline = 10 * time.Minute

func deployDeadline(run *v1alpha1.BenchmarkRun) time.Duration {
	return run.Spec.Timeouts.Deploy.Or(10 * time.Minute)
}

// mergesAnHour is what the merge of an hour of a worker takes at most: a slow machine has it in 3 s.
const mergesAnHour = 10 * time.Second

// mergeDeadline bounds the making of the report. By default, measurements that are long or have many
// workers have more time.
func mergeDeadline(o *state.Observed) time.Duration {
	deadline := CollectDeadline(o.Run)
	if o.Run.Spec.Timeouts.Collect != "" {
		return deadline
	}
	var workerHours float64
	for i := range o.Plan.Workloads {
		w := &o.Plan.Workloads[i]
		workerHours += float64(w.Load.Workers) * measured(o.Run, w).Hours()
	}
	return deadline + time.Duration(workerHours)*mergesAnHour
}

// measured is how long a workload measured. The plan doesn't tell that of a closed loop that is bounded by
// operations: what passed between its conditions does.
func measured(run *v1alpha1.BenchmarkRun, w *plan.Workload) time.Duration {
	if lasts, known := rate.Lasts(w); known {
		return lasts
	}
	conditions := status.FindWorkload(run, w.Name).Conditions
	armed := meta.FindStatusCondition(conditions, v1alpha1.ConditionArmed)
	ended := meta.FindStatusCondition(conditions, v1alpha1.ConditionMeasured)
	if armed == nil || ended == nil {
		return 0
	}
	return max(0, ended.LastTransitionTime.Sub(armed.LastTransitionTime.Time))
}

// CollectDeadline is what the spec gives to the making of the report, and to the shipping before it.
func CollectDeadline(run *v1alpha1.BenchmarkRun) time.Duration {
	return run.Spec.Timeouts.Collect.Or(5 * time.Minute)
}

// ClockDeadline bounds the wait for the results server's time once the workers are done.
const ClockDeadline = 5 * time.Minute

// stopDeadline is how long the workers of a failed run may take to end.
const stopDeadline = time.Minute

// leastTeardown is the least time that a teardown has, whatever the spec says.
const leastTeardown = 30 * time.Second

func teardownDeadline(run *v1alpha1.BenchmarkRun) time.Duration {
	return max(leastTeardown, run.Spec.Timeouts.Teardown.Or(5*time.Minute))
}

// NewsDeadline bounds the wait for a watch to tell what is so.
const NewsDeadline = time.Minute

// LoadDeadline bounds each Job that empties the store or loads it.
func LoadDeadline(run *v1alpha1.BenchmarkRun) time.Duration {
	return run.Spec.Timeouts.Load.Or(30 * time.Minute)
}

// createDeadline bounds the attempts to create a Job, from the first one that failed.
const createDeadline = 5 * time.Minute

// ArmDeadline bounds the time that workers take to be scheduled, to connect and to claim
// their index.
const ArmDeadline = 5 * time.Minute

// StartIn is how far ahead the start is posted: every worker must hear of it at least
// 500 ms before, or the measurement is lost.
const StartIn = 3 * time.Second

// lastWordsTime is what a worker has left of its Job's time after it gave up by itself. At the Job's
// deadline its pod is deleted, and with the pod the reason why it failed.
const lastWordsTime = time.Minute

// MeasureDeadline bounds a measurement from its Job's creation: arming, posting the start,
// the schedule, the two deadlines of a read-modify-write at its end, and the time to ship
// what was recorded.
func MeasureDeadline(run *v1alpha1.BenchmarkRun, w *plan.Workload) time.Duration {
	measured := time.Duration(w.DurationMillis) * time.Millisecond
	if measured == 0 {
		measured = rate.LongestByOperations
	}
	around := time.Duration(w.Load.WarmupMillis+w.Load.CooldownMillis+2*w.Load.OperationTimeoutMillis) * time.Millisecond
	return ArmDeadline + StartDeadline + StartIn + around + measured + CollectDeadline(run) + lastWordsTime
}

// StartDeadline bounds the attempts to post a start.
const StartDeadline = 5 * time.Minute

// Since is how long a condition has had its status; 0 when it isn't there.
func Since(o *state.Observed, kind string) time.Duration {
	condition := meta.FindStatusCondition(o.Run.Status.Conditions, kind)
	if condition == nil {
		return 0
	}
	return o.Now.Sub(condition.LastTransitionTime.Time)
}
