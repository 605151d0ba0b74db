package loadgen

import (
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/stores"
)

// Metrics is the worker's live view, for Prometheus. It is fed once a second from what
// was recorded, so it costs an operation nothing; no figure of a report comes from it.
type Metrics struct {
	registry *prometheus.Registry
	inFlight prometheus.Gauge
	shipping atomic.Pointer[shipping]

	mu        sync.Mutex
	durations [stores.NumKinds][stores.NumOutcomes]distribution
	lag       distribution
}

// shipping is what is told of a ship.Shipper.
type shipping interface {
	Shipped() int64
	Pending() int64
}

var (
	operationsDesc = prometheus.NewDesc("kvbench_operations_total",
		"Operations that ended, by operation and outcome.", []string{"operation", "outcome"}, nil)
	durationDesc = prometheus.NewDesc("kvbench_operation_duration_seconds",
		"Service time of operations, from the send.", []string{"operation", "outcome"}, nil)
	lagDesc = prometheus.NewDesc("kvbench_send_lag_seconds",
		"Delay of operations behind their intended time until they were sent, or waited for a slot: the generator's own.", nil, nil)
	shippedDesc = prometheus.NewDesc("kvbench_shipped_bytes_total",
		"Bytes of the bundle that the results server took.", nil, nil)
	pendingDesc = prometheus.NewDesc("kvbench_ship_pending_bytes",
		"Bytes of the bundle that the results server lacks.", nil, nil)
)

// NewMetrics makes a registry of its own.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "kvbench_in_flight", Help: "Most operations under way in the last second."}),
	}
	m.registry.MustRegister(m, m.inFlight,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Handler serves /metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// second takes what was recorded in a second.
func (m *Metrics) second(in *record.Interval, peak int) {
	m.inFlight.Set(float64(peak))
	m.mu.Lock()
	defer m.mu.Unlock()
	in.Each(func(of record.Row, h *record.Histogram) {
		if !of.Response {
			m.durations[of.Kind][of.Outcome].add(h)
		}
	})
	in.EachLag(func(_ int64, h *record.Histogram) { m.lag.add(h) })
}

func (m *Metrics) watch(s shipping) { m.shipping.Store(&s) }

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{operationsDesc, durationDesc, lagDesc, shippedDesc, pendingDesc} {
		to <- desc
	}
}

// Collect implements prometheus.Collector.
func (m *Metrics) Collect(to chan<- prometheus.Metric) {
	var shipped, pending int64
	if s := m.shipping.Load(); s != nil {
		shipped, pending = (*s).Shipped(), (*s).Pending()
	}
	to <- prometheus.MustNewConstMetric(shippedDesc, prometheus.CounterValue, float64(shipped))
	to <- prometheus.MustNewConstMetric(pendingDesc, prometheus.GaugeValue, float64(pending))

	m.mu.Lock()
	defer m.mu.Unlock()
	to <- m.lag.metric(lagDesc)
	for kind := range m.durations {
		for outcome := range m.durations[kind] {
			d := &m.durations[kind][outcome]
			if d.count == 0 {
				continue
			}
			labels := []string{stores.Kind(kind).String(), stores.Outcome(outcome).String()}
			to <- prometheus.MustNewConstMetric(operationsDesc, prometheus.CounterValue, float64(d.count), labels...)
			to <- d.metric(durationDesc, labels...)
		}
	}
}
