package remotewrite

import "github.com/prometheus/client_golang/prometheus"

// Values of the label reason.
const (
	reasonAway     = "away"     // no answer, or one that may change: tried again
	reasonRefused  = "refused"  // the rest of a run was given up
	reasonUnusable = "unusable" // a run's documents are the cause
)

type metrics struct {
	samples  prometheus.Counter
	failures *prometheus.CounterVec
}

func newMetrics(registerer prometheus.Registerer, pending func() float64) metrics {
	m := metrics{
		samples: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "kvbench_results_remote_write_samples_total", Help: "Samples that were sent by remote write and taken."}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kvbench_results_remote_write_failures_total", Help: "Failed attempts to send figures by remote write."}, []string{"reason"}),
	}
	for _, reason := range []string{reasonAway, reasonRefused, reasonUnusable} {
		m.failures.WithLabelValues(reason)
	}
	if registerer != nil {
		registerer.MustRegister(m.samples, m.failures, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "kvbench_results_remote_write_pending_runs", Help: "Runs with a report whose figures are still to be sent."}, pending))
	}
	return m
}
