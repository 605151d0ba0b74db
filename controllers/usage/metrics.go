package usage

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/kvbench/kvbench/internal/kubelet"
)

// memberLabels have no "namespace": Prometheus calls that of the pod so.
var memberLabels = []string{"run_namespace", "kvbench_io_run", "member"}

var (
	cpuDesc = prometheus.NewDesc("kvbench_member_cpu_seconds_total",
		"Processor time of the containers of a member of a run under way, as its kubelet told last.", memberLabels, nil)
	memoryDesc = prometheus.NewDesc("kvbench_member_memory_bytes",
		"Memory of a member of a run under way, without the pages of files that could be dropped at once, as its kubelet told last.", memberLabels, nil)
	dataDesc = prometheus.NewDesc("kvbench_member_data_bytes",
		"What the data volume of a member of a run under way holds, as its kubelet told last.", memberLabels, nil)
)

// told is what kubelets said in the newest look, for Prometheus.
type told struct {
	mu  sync.Mutex
	all []memberUsage
}

type memberUsage struct {
	member runningMember
	used   kubelet.PodUsage
}

func (t *told) set(all []memberUsage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = all
}

// Describe implements prometheus.Collector.
func (t *told) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{cpuDesc, memoryDesc, dataDesc} {
		to <- desc
	}
}

// Collect implements prometheus.Collector.
func (t *told) Collect(to chan<- prometheus.Metric) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.all {
		m, used := &t.all[i].member, &t.all[i].used
		labels := []string{m.namespace, m.runID, m.name}
		if used.CPUNanos != nil && countOf(*used.CPUNanos) != nil {
			to <- prometheus.MustNewConstMetric(cpuDesc, prometheus.CounterValue, float64(*used.CPUNanos)/1e9, labels...)
		}
		if used.WorkingSetBytes != nil && countOf(*used.WorkingSetBytes) != nil {
			to <- prometheus.MustNewConstMetric(memoryDesc, prometheus.GaugeValue, float64(*used.WorkingSetBytes), labels...)
		}
		if used.Data != nil && countOf(used.Data.Bytes) != nil {
			to <- prometheus.MustNewConstMetric(dataDesc, prometheus.GaugeValue, float64(used.Data.Bytes), labels...)
		}
	}
}
