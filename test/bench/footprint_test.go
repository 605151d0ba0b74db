//go:build e2e

package bench

import (
	"testing"
	"time"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

const (
	resident   = "process_resident_memory_bytes"
	reconciles = "controller_runtime_reconcile_total"
	cpu        = "process_cpu_seconds_total"
	megabyte   = 1e6
)

// BenchmarkAtRest looks at the controller and the results server while no run is there:
// their memory, their CPU, and how often the controller reconciles in a minute.
func BenchmarkAtRest(b *testing.B) {
	c := connect(b)
	controller := client.MatchingLabels{"app.kubernetes.io/component": "controller"}
	results := client.MatchingLabels{"app.kubernetes.io/component": "results"}
	for range b.N {
		began := time.Now()
		before := c.scrape(b, systemNamespace, controller)
		time.Sleep(time.Minute) // the span that is looked at
		after := c.scrape(b, systemNamespace, controller)
		span := time.Since(began)
		b.ReportMetric(after[resident]/megabyte, "MB-controller")
		b.ReportMetric(c.scrape(b, systemNamespace, results)[resident]/megabyte, "MB-results")
		b.ReportMetric((after[reconciles]-before[reconciles])/span.Minutes(), "reconciles/min")
		b.ReportMetric(1000*(after[cpu]-before[cpu])/span.Seconds(), "controller-millicores")
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkWorker2000 drives one member of etcd with 2,000 reads/s from one worker, and
// reports the most memory that the worker held, and the CPU that it took.
func BenchmarkWorker2000(b *testing.B) {
	c := connect(b)
	var most, cores float64
	for i := range b.N {
		run := sample(b, unique("worker", i))
		run.Spec.Store = v1alpha1.StoreSpec{Name: "etcd", Nodes: 1, Mode: "serializable"}
		run.Spec.Faults = nil
		run.Spec.Workloads[0].Preset = "C"
		run.Spec.Load.Workers, run.Spec.Load.Rate = ptr.To[int32](1), ptr.To[int64](2000)
		must(b, c.Create(b.Context(), run))
		c.until(b, "the run starts its measurement", func() bool {
			must(b, c.Get(b.Context(), client.ObjectKeyFromObject(run), run))
			return len(run.Status.Workloads) > 0 && run.Status.Workloads[0].StartedAtUnixNanos > 0
		})
		start := time.Unix(0, run.Status.Workloads[0].StartedAtUnixNanos)
		worker := client.MatchingLabels{"kvbench.io/run-uid": string(run.UID), "kvbench.io/role": "worker"}
		var first, last map[string]float64
		for _, at := range []time.Duration{15, 25, 35, 45, 55, 65} {
			time.Sleep(time.Until(start.Add(at * time.Second)))
			last = c.scrape(b, namespace, worker)
			if first == nil {
				first = last
			}
			most = max(most, last[resident])
		}
		cores += (last[cpu] - first[cpu]) / 50
		c.remove(b, run)
	}
	b.ReportMetric(most/megabyte, "MB-worker")
	b.ReportMetric(1000*cores/float64(b.N), "worker-millicores")
	b.ReportMetric(0, "ns/op")
}
