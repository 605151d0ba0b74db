package run

import (
	"context"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/faults"
)

// faultLabels has no "namespace": Prometheus calls that of the pod so.
var faultLabels = []string{"run_namespace", "kvbench_io_run", "fault", "target"}

var (
	runsDesc = prometheus.NewDesc("kvbench_runs",
		"BenchmarkRuns by phase.", []string{"phase"}, nil)
	verdictsDesc = prometheus.NewDesc("kvbench_run_verdicts",
		"BenchmarkRuns that ended, by what their conditions Valid and Passed say; None where a run has no such condition.", []string{"valid", "passed"}, nil)
	underWayDesc = prometheus.NewDesc("kvbench_run_under_way",
		"1 for each BenchmarkRun that has its turn.", []string{"run_namespace", "run", "kvbench_io_run", "phase"}, nil)
	completedDesc = prometheus.NewDesc("kvbench_run_completion_timestamp_seconds",
		"When a BenchmarkRun ended, in Unix time, for the newest 100, with the status of its conditions Valid and Passed.",
		[]string{"run_namespace", "run", "kvbench_io_run", "phase", "valid", "passed"}, nil)
	injectedDesc = prometheus.NewDesc("kvbench_fault_injected_timestamp_seconds",
		"When a fault of a run that is under way was injected, in Unix time.", faultLabels, nil)
	activeDesc = prometheus.NewDesc("kvbench_fault_active",
		"1 while a fault of a run that is under way is at work: from the request until it is healed, or a kill is done.", faultLabels, nil)
)

// runMetrics tells of the runs when it is asked, from what the cache holds.
type runMetrics struct{ reader client.Reader }

// NewMetrics is for the registry of the controller's /metrics.
func NewMetrics(reader client.Reader) prometheus.Collector { return &runMetrics{reader} }

// Describe implements prometheus.Collector.
func (m *runMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{runsDesc, verdictsDesc, underWayDesc, completedDesc, injectedDesc, activeDesc} {
		to <- desc
	}
}

// Collect implements prometheus.Collector.
func (m *runMetrics) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	runs := &v1alpha1.BenchmarkRunList{}
	if err := m.reader.List(ctx, runs); err != nil {
		return // the cache isn't there yet
	}
	var completed []*v1alpha1.BenchmarkRun
	phases, verdicts := map[string]int{}, map[[2]string]int{}
	for i := range runs.Items {
		run := &runs.Items[i]
		if run.Status.Phase != "" {
			phases[run.Status.Phase]++
		}
		switch {
		case status.Ended(run):
			verdicts[[2]string{conditionOf(run, v1alpha1.ConditionValid), conditionOf(run, v1alpha1.ConditionPassed)}]++
			if run.Status.CompletionTime != nil {
				completed = append(completed, run)
			}
		case !status.Waits(run):
			to <- prometheus.MustNewConstMetric(underWayDesc, prometheus.GaugeValue, 1, run.Namespace, run.Name, names.RunID(run), run.Status.Phase)
			collectFaults(run, to)
		}
	}
	for phase, count := range phases {
		to <- prometheus.MustNewConstMetric(runsDesc, prometheus.GaugeValue, float64(count), phase)
	}
	for of, count := range verdicts {
		to <- prometheus.MustNewConstMetric(verdictsDesc, prometheus.GaugeValue, float64(count), of[0], of[1])
	}
	for _, run := range newest(completed) {
		to <- prometheus.MustNewConstMetric(completedDesc, prometheus.GaugeValue, float64(run.Status.CompletionTime.Unix()),
			run.Namespace, run.Name, names.RunID(run), run.Status.Phase, conditionOf(run, v1alpha1.ConditionValid), conditionOf(run, v1alpha1.ConditionPassed))
	}
}

// mostCompleted bounds the series of runs that ended: their objects stay until somebody deletes them.
const mostCompleted = 100

// newest are the runs that ended last.
func newest(runs []*v1alpha1.BenchmarkRun) []*v1alpha1.BenchmarkRun {
	slices.SortFunc(runs, func(a, b *v1alpha1.BenchmarkRun) int {
		return b.Status.CompletionTime.Compare(a.Status.CompletionTime.Time)
	})
	return runs[:min(len(runs), mostCompleted)]
}

func conditionOf(run *v1alpha1.BenchmarkRun, kind string) string {
	if condition := meta.FindStatusCondition(run.Status.Conditions, kind); condition != nil {
		return string(condition.Status)
	}
	return "None"
}

// collectFaults tells of each target of the faults that were asked for.
func collectFaults(run *v1alpha1.BenchmarkRun, to chan<- prometheus.Metric) {
	for i := range run.Status.Faults {
		fault := &run.Status.Faults[i]
		injected := fault.State == v1alpha1.FaultInjected || fault.State == v1alpha1.FaultHealed
		if fault.InjectedAfterUnixNanos == 0 || !injected && fault.State != v1alpha1.FaultIntended {
			continue
		}
		active := 0.0
		if atWork(run, fault) {
			active = 1
		}
		targets := status.SidesOf(fault).Targets
		if len(targets) == 0 {
			targets = []string{""} // Prometheus leaves an empty label out
		}
		for _, target := range targets {
			labels := []string{run.Namespace, names.RunID(run), fault.Name, target}
			to <- prometheus.MustNewConstMetric(activeDesc, prometheus.GaugeValue, active, labels...)
			if injected {
				to <- prometheus.MustNewConstMetric(injectedDesc, prometheus.GaugeValue, float64(fault.InjectedAfterUnixNanos)/1e9, labels...)
			}
		}
	}
}

// atWork says whether a fault that was asked for isn't over. A kill is over with its injection.
func atWork(run *v1alpha1.BenchmarkRun, fault *v1alpha1.FaultStatus) bool {
	switch fault.State {
	case v1alpha1.FaultIntended:
		return true
	case v1alpha1.FaultInjected:
		return fault.EndedBeforeUnixNanos == 0 && lasts(run, fault.Name)
	}
	return false
}

func lasts(run *v1alpha1.BenchmarkRun, fault string) bool {
	for i := range run.Spec.Faults {
		if run.Spec.Faults[i].Name == fault {
			action, _ := faults.Find(run.Spec.Faults[i].Action)
			return action.Lasts
		}
	}
	return false
}
