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
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "kvbench_results_free_bytes", Help: "Space left on the volume; -1 when it is unknown."},
			func() float64 {
				free, err := g.free()
				if err != nil {
					return -1
				}
				return float64(free)
			}),
	}
	if registerer != nil {
		registerer.MustRegister(append(gauges, m.requests, m.durations, m.appended, m.reviews, m.forgotten)...)
	}
	return m
}
