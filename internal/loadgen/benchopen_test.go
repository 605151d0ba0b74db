package loadgen

import (
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/loadgen/pace"
	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/rate"
)

// BenchmarkOpenLoop1000 sends b.N operations at a constant 1,000/s, and tells how late
// they were and what share of a core that took.
func BenchmarkOpenLoop1000(b *testing.B) {
	begin := time.Now().Add(10 * time.Millisecond)
	stage := &stage{begin: begin, set: record.NewSet(pacerSlot+1, begin.UnixNano(), true), errors: newErrorCounts(), timeout: time.Second}
	open := benchSessions(b, stage, map[string]string{"requestdistribution": "zipfian"})
	loop := &openLoop{
		stage: stage, waiter: realWaiter,
		law: pace.NewConstant(rate.Flat(1000), 0, 1), fit: pace.NewFit(rate.Flat(1000), 1000, 1, true),
		schedule: schedule{end: time.Duration(b.N) * time.Millisecond},
		pool: newPool(100, open, func(err error) { b.Error(err) }),
	}
	loop.pool.warm(warmSessions)
	before := cpuTime(b)
	b.ResetTimer()
	if _, err := loop.run(b.Context()); err != nil {
		b.Error(err)
	}
	b.StopTimer()
	used := cpuTime(b) - before
	lag := lagsOf(stage.set)
	b.ReportMetric(float64(lag.ValueAtQuantile(50)), "lag-p50-µs")
	b.ReportMetric(float64(lag.ValueAtQuantile(99)), "lag-p99-µs")
	b.ReportMetric(float64(lag.Max()), "lag-max-µs")
	b.ReportMetric(100*used.Seconds()/b.Elapsed().Seconds(), "%-of-core")
}
