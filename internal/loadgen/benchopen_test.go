package loadgen

import (
	"fmt"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/loadgen/pace"
	"github.com/kvbench/kvbench/internal/loadgen/record"
	rates "github.com/kvbench/kvbench/internal/rate"
)

// BenchmarkOpenLoop sends b.N operations at a constant rate, and tells how late they were
// and what share of a core that took.
func BenchmarkOpenLoop(b *testing.B) {
	for _, rate := range []int{1_000, 50_000} {
		b.Run(fmt.Sprintf("rate=%d", rate), func(b *testing.B) { benchOpen(b, rate) })
	}
}

func benchOpen(b *testing.B, rate int) {
	begin := time.Now().Add(10 * time.Millisecond)
	stage := &stage{begin: begin, set: record.NewSet(pacerSlot+1, begin.UnixNano(), true), errors: newErrorCounts(), timeout: time.Second}
	open := benchSessions(b, stage, map[string]string{"requestdistribution": "zipfian"})
	loop := &openLoop{
		stage: stage, waiter: realWaiter,
		law: pace.NewConstant(rates.Flat(rate), 0, 1), fit: pace.NewFit(rates.Flat(rate), float64(rate), 1, true),
		schedule: schedule{end: time.Duration(b.N) * time.Second / time.Duration(rate)},
		pool:     newPool(rate, open, func(err error) { b.Error(err) }),
	}
	loop.pool.warm(warmSessions)
	before := cpuTime(b)
	b.ReportAllocs()
	b.ResetTimer()
	if _, err := loop.run(b.Context()); err != nil {
		b.Error(err)
	}
	b.StopTimer()
	used := cpuTime(b) - before
	lag := lagsOf(stage.set)
	b.ReportMetric(float64(lag.ValueAtQuantile(50)), "lag-p50-us")
	b.ReportMetric(float64(lag.ValueAtQuantile(99)), "lag-p99-us")
	b.ReportMetric(float64(lag.Max()), "lag-max-us")
	b.ReportMetric(100*used.Seconds()/b.Elapsed().Seconds(), "cpu-%")
}
