package judge

import (
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/stores"
)

// judgeLag judges the generator's own delays: those that are as long as an outage, and those that are a large part of the
// response times.
func judgeLag(o *Generator, say sayer) {
	lag := histogram.Latency(o.latencies.Lag)
	if lag == nil {
		return
	}
	if lag.P99Micros > limits.MaxLagP99Micros {
		say(report.GeneratorLag, o.lagging(limits.MaxLagP99Micros), "1 %% of the operations were sent more than %s late, other than for want of a slot; at most %s is allowed",
			micros(lag.P99Micros), micros(limits.MaxLagP99Micros))
	}
	if lag.MaxMicros > limits.MaxLagMicros {
		say(report.GeneratorLag, o.lagging(limits.MaxLagMicros), "an operation was sent %s late, other than for want of a slot; at most %s is allowed",
			micros(lag.MaxMicros), micros(limits.MaxLagMicros))
	}
	for _, op := range o.latencies.Report() {
		if op.Outcome != stores.OK.String() || op.ResponseTime == nil || op.WaitTime == nil {
			continue // all of them were parts of other operations, and have no intended time of their own
		}
		response := op.ResponseTime.P50Micros
		if allowed := max(limits.LagFloorMicros, int64(limits.MaxLagShare*float64(response))); lag.P50Micros > allowed {
			say(report.GeneratorLag, nil, "half of the operations were sent more than %s late, other than for want of a slot, and the median response time of %s is %s; at most %s is allowed",
				micros(lag.P50Micros), op.Operation, micros(response), micros(allowed))
			return
		}
	}
}
