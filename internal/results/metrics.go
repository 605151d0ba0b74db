package results

import (
	"github.com/prometheus/client_golang/prometheus"
)

// metrics are the live view of the server; their names are documented in docs/reference.
type metrics struct {
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	appended  prometheus.Counter
	reviews   *prometheus.CounterVec
	forgotten prometheus.Counter
}

func newMetrics(registerer prometheus.Registerer, g *registry) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kvbench_results_requests_total", Help: "Requests by route and status code."}, []string{"route", "code"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "kvbench_results_request_duration_seconds", Help: "Time to answer, long polls included.",
			Buckets: []float64{.001, .01, .1, 1, 10, 60}}, []string{"route"}),
		appended: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "kvbench_results_appended_bytes_total", Help: "Bytes that workers and observers have sent and that were kept."}),
		reviews: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kvbench_results_token_reviews_total", Help: "Token reviews by answer; cached answers are not counted."}, []string{"answer"}),
		forgotten: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "kvbench_results_runs_forgotten_total", Help: "Runs removed to keep to the limits of age and size."}),
	}
	gauges := []prometheus.Collector{
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "kvbench_results_runs", Help: "Runs that are kept."},
			func() float64 { return float64(len(g.all())) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "kvbench_results_bytes", Help: "Bytes of all runs that are kept."},
			func() float64 {
				var total int64
				for _, r := range g.all() {
					total += r.usage().bytes
				}
				return float64(total)
			}),
		volumeSpace{free: g.free, size: g.size},
	}
	if registerer != nil {
		registerer.MustRegister(append(gauges, m.requests, m.durations, m.appended, m.reviews, m.forgotten)...)
	}
	return m
}

var (
	freeDesc = prometheus.NewDesc("kvbench_results_free_bytes", "Space left on the volume.", nil, nil)
	sizeDesc = prometheus.NewDesc("kvbench_results_volume_bytes", "Size of the volume.", nil, nil)
)

// volumeSpace tells of the space on it, as far as it is known.
type volumeSpace struct{ free, size func() (uint64, error) }

// Describe implements prometheus.Collector.
func (v volumeSpace) Describe(to chan<- *prometheus.Desc) {
	to <- freeDesc
	to <- sizeDesc
}

// Collect implements prometheus.Collector.
func (v volumeSpace) Collect(to chan<- prometheus.Metric) {
	if free, err := v.free(); err == nil {
		to <- prometheus.MustNewConstMetric(freeDesc, prometheus.GaugeValue, float64(free))
	}
	if size, err := v.size(); err == nil {
		to <- prometheus.MustNewConstMetric(sizeDesc, prometheus.GaugeValue, float64(size))
	}
}
