package frame

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// pending is the phase of what no controller has looked at yet.
const pending = "Pending"

// OfRun is where a run stands. live is nil where the results server has told nothing of it; its ages are of now.
func OfRun(run *v1alpha1.BenchmarkRun, live *wire.Live, events []Event) *Run {
	at := turn(run)
	told := &Run{
		Name: run.Name, Phase: cmp.Or(run.Status.Phase, pending), Store: run.Spec.Store.Name, Mode: run.Status.Mode, Nodes: int(run.Spec.Store.Nodes),
		Steps: steps(run, at), WorkloadNumber: at + 1, Workloads: len(run.Spec.Workloads),
		Members: []Member{}, Faults: faultsOf(run), Events: events, Found: foundBy(run),
	}
	if told.Events == nil {
		told.Events = []Event{}
	}
	if at < len(run.Spec.Workloads) {
		told.Workload = run.Spec.Workloads[at].Name
	}
	if Over(run.Status.Conditions) {
		return told
	}
	told.Waiting = waitsFor(run, told.Phase)
	told.Load = loadOf(run, at, live)
	if live != nil {
		told.Term, told.MembersAgeSeconds = live.Term, live.MembersAgeMillis/1000
		for _, m := range live.Members[:min(len(live.Members), report.MaxMembers)] {
			told.Members = append(told.Members, Member(m))
		}
	}
	return told
}

// Over says whether a run or a suite has ended, by its conditions.
func Over(conditions []metav1.Condition) bool {
	return meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionComplete) || meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionFailed)
}

// turn is the index of the workload whose turn it is: the first one of which something is left to do, or the last one.
func turn(run *v1alpha1.BenchmarkRun) int {
	for i := range run.Spec.Workloads {
		w := statusOf(run, run.Spec.Workloads[i].Name)
		if w == nil || meta.FindStatusCondition(w.Conditions, v1alpha1.ConditionFaultsHealed) == nil {
			return i
		}
	}
	return max(0, len(run.Spec.Workloads)-1)
}

func statusOf(run *v1alpha1.BenchmarkRun, workload string) *v1alpha1.WorkloadStatus {
	i := slices.IndexFunc(run.Status.Workloads, func(w v1alpha1.WorkloadStatus) bool { return w.Name == workload })
	if i < 0 {
		return nil
	}
	return &run.Status.Workloads[i]
}

// waitsFor is what the run says of the step that it waits in, or why it fails.
func waitsFor(run *v1alpha1.BenchmarkRun, phase string) string {
	if c := meta.FindStatusCondition(run.Status.Conditions, "FailureTarget"); c != nil {
		return c.Reason + ": " + c.Message
	}
	conditions := run.Status.Conditions
	for _, w := range run.Status.Workloads {
		conditions = slices.Concat(conditions, w.Conditions)
	}
	for _, c := range conditions {
		if c.Status == metav1.ConditionUnknown && c.Reason != phase {
			return c.Reason + ": " + c.Message
		}
	}
	return ""
}

func foundBy(run *v1alpha1.BenchmarkRun) []Found {
	found := []Found{}
	for i := range run.Status.Workloads {
		w := &run.Status.Workloads[i]
		if w.Summary != nil {
			found = append(found, Found{w.Name, w.Summary.Throughput, w.Summary.P99, w.Summary.Errors, longestOutage(run, w.Name), w.InvalidReasons})
		}
	}
	return found
}

// longestOutage is that of the workload's faults. Any one that is longer than is known may be the longest.
func longestOutage(run *v1alpha1.BenchmarkRun, workload string) string {
	longest, censored := int64(-1), false
	if run.Status.Summary == nil {
		return ""
	}
	for _, fault := range faultsOf(run) {
		at := slices.IndexFunc(run.Status.Summary.Faults, func(f v1alpha1.FaultSummary) bool { return f.Name == fault.Name })
		if fault.Workload != workload || at < 0 {
			continue
		}
		f := &run.Status.Summary.Faults[at]
		longest, censored = max(longest, f.OutageMicros), censored || f.OutageCensored
	}
	switch {
	case longest < 0:
		return ""
	case censored:
		return ">" + report.Human(longest)
	case longest == 0:
		return "none"
	}
	return report.Human(longest)
}

func faultsOf(run *v1alpha1.BenchmarkRun) []Fault {
	faults := make([]Fault, 0, len(run.Spec.Faults))
	for i := range run.Spec.Faults {
		spec := &run.Spec.Faults[i]
		fault := Fault{Name: spec.Name, Action: spec.Action, Workload: spec.Workload, At: string(spec.At), State: Planned}
		if fault.Workload == "" && len(run.Spec.Workloads) > 0 {
			fault.Workload = run.Spec.Workloads[0].Name
		}
		at := slices.IndexFunc(run.Status.Faults, func(f v1alpha1.FaultStatus) bool { return f.Name == spec.Name })
		if at >= 0 && run.Status.Faults[at].State != "" {
			status := &run.Status.Faults[at]
			fault.State, fault.Targets, fault.Message = status.State, status.Targets, status.Message
			fault.InjectedAt, fault.EndedAt = instantOf(status.InjectedAfterUnixNanos), instantOf(status.EndedBeforeUnixNanos)
			fault.Lasts = spec.Duration != nil
			if len(fault.Targets) == 0 && status.Target != "" {
				fault.Targets = []string{status.Target}
			}
		}
		faults = append(faults, fault)
	}
	return faults
}

// instantOf is nil for what did not happen.
func instantOf(unixNanos int64) *time.Time {
	if unixNanos == 0 {
		return nil
	}
	at := time.Unix(0, unixNanos).UTC()
	return &at
}
