package run

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/status"
)

var (
	runsDesc = prometheus.NewDesc("kvbench_runs",
		"BenchmarkRuns by phase.", []string{"phase"}, nil)
	faultDesc = prometheus.NewDesc("kvbench_fault_injected_timestamp_seconds",
		"When a fault of a run that is under way was injected, in Unix time.",
		// Not "namespace": Prometheus calls that of the pod so.
		[]string{"run_namespace", "kvbench_io_run", "fault", "target"}, nil)
)

// runMetrics tells of the runs when it is asked, from what the cache holds.
type runMetrics struct{ reader client.Reader }

// NewMetrics is for the registry of the controller's /metrics.
func NewMetrics(reader client.Reader) prometheus.Collector { return &runMetrics{reader} }

// Describe implements prometheus.Collector.
func (m *runMetrics) Describe(to chan<- *prometheus.Desc) {
	to <- runsDesc
	to <- faultDesc
}

// Collect implements prometheus.Collector.
func (m *runMetrics) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	runs := &v1alpha1.BenchmarkRunList{}
	if err := m.reader.List(ctx, runs); err != nil {
		return // the cache isn't there yet
	}
	phases := map[string]int{}
	for i := range runs.Items {
		run := &runs.Items[i]
		if run.Status.Phase != "" {
			phases[run.Status.Phase]++
		}
		if status.Ended(run) {
			continue
		}
		for _, fault := range run.Status.Faults {
			if fault.State == v1alpha1.FaultInjected || fault.State == v1alpha1.FaultHealed {
				to <- prometheus.MustNewConstMetric(faultDesc, prometheus.GaugeValue, float64(fault.InjectedAfterUnixNanos)/1e9,
					run.Namespace, names.RunID(run), fault.Name, fault.Target)
			}
		}
	}
	for phase, count := range phases {
		to <- prometheus.MustNewConstMetric(runsDesc, prometheus.GaugeValue, float64(count), phase)
	}
}
