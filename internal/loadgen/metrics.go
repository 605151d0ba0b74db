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
	"github.com/kvbench/kvbench/internal/version"
)

// Metrics is the worker's live view, for Prometheus. It is fed once a second from what
// was recorded, so it costs an operation nothing; no figure of a report comes from it.
type Metrics struct {
	registry *prometheus.Registry
	inFlight prometheus.Gauge
	shipping atomic.Pointer[shipping]

	mu        sync.Mutex
	durations distributions // from the send
	responses distributions // from the intended start; none in a closed loop
	lag       distribution
}

// distributions are those of each operation and outcome.
type distributions [stores.NumKinds][stores.NumOutcomes]distribution

// shipping is what is told of a ship.Shipper.
type shipping interface {
	Shipped() int64
	Pending() int64
}

var (
	operationsDesc = prometheus.NewDesc("kvbench_operations_total",
		"Operations that ended, by operation and outcome.", []string{"operation", "outcome"}, nil)
	responseDesc = prometheus.NewDesc("kvbench_operation_response_seconds",
		"Response time of operations, from the intended start. A closed loop has none.", []string{"operation", "outcome"}, nil)
	durationDesc = prometheus.NewDesc("kvbench_operation_duration_seconds",
		"Service time of operations, from the send.", []string{"operation", "outcome"}, nil)
	lagDesc = prometheus.NewDesc("kvbench_send_lag_seconds",
		"Delay of operations behind their intended time until they were sent, or waited for a slot: the generator's own.", nil, nil)
	shippedDesc = prometheus.NewDesc("kvbench_shipped_bytes_total",
		"Bytes of the bundle that the results server took.", nil, nil)
	pendingDesc = prometheus.NewDesc("kvbench_ship_pending_bytes",
		"Bytes of the bundle that the results server lacks.", nil, nil)
)

// NewMetrics makes a registry of its own. What is measured has the store and the workload as labels.
func NewMetrics(store, workload string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "kvbench_in_flight", Help: "Most operations under way in the last second."}),
	}
	prometheus.WrapRegistererWith(prometheus.Labels{"store": store, "workload": workload}, m.registry).MustRegister(m, m.inFlight)
	m.registry.MustRegister(version.Metric(),
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
		switch {
		case of.Part: // counted with the operation that it is a part of
		case of.Response:
			m.responses[of.Kind][of.Outcome].add(h)
		default:
			m.durations[of.Kind][of.Outcome].add(h)
		}
	})
	in.EachLag(func(_ int64, h *record.Histogram) { m.lag.add(h) })
}

func (m *Metrics) watch(s shipping) { m.shipping.Store(&s) }

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{operationsDesc, durationDesc, responseDesc, lagDesc, shippedDesc, pendingDesc} {
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
	m.durations.eachOfKnown(func(d *distribution, labels ...string) {
		to <- prometheus.MustNewConstMetric(operationsDesc, prometheus.CounterValue, float64(d.count), labels...)
	})
	m.durations.each(func(d *distribution, labels ...string) { to <- d.metric(durationDesc, labels...) })
	m.responses.each(func(d *distribution, labels ...string) { to <- d.metric(responseDesc, labels...) })
}

// eachOfKnown calls f for all outcomes of the kinds that have any: a rate needs the 0 before the first failures.
func (all *distributions) eachOfKnown(f func(d *distribution, labels ...string)) {
	for kind := range all {
		known := false
		for outcome := range all[kind] {
			known = known || all[kind][outcome].count > 0
		}
		for outcome := range all[kind] {
			if known {
				f(&all[kind][outcome], stores.Kind(kind).String(), stores.Outcome(outcome).String())
			}
		}
	}
}

// each calls f for those with counts, with the labels operation and outcome.
func (all *distributions) each(f func(d *distribution, labels ...string)) {
	for kind := range all {
		for outcome := range all[kind] {
			if d := &all[kind][outcome]; d.count > 0 {
				f(d, stores.Kind(kind).String(), stores.Outcome(outcome).String())
			}
		}
	}
}
