package loadgen

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/loadgen/pace"
	"github.com/kvbench/kvbench/internal/loadgen/record"
	rates "github.com/kvbench/kvbench/internal/rate"
)

// BenchmarkOpenLoop sends b.N operations at a constant rate, and tells how late they were,
// what share of a core that took, and what the thread that keeps the times had of it.
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
	// What paces is tied to its thread anyway.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	all, pacer := cpuTime(b, syscall.RUSAGE_SELF), cpuTime(b, syscall.RUSAGE_THREAD)
	b.ReportAllocs()
	b.ResetTimer()
	if _, err := loop.run(b.Context()); err != nil {
		b.Error(err)
	}
	b.StopTimer()
	all, pacer = cpuTime(b, syscall.RUSAGE_SELF)-all, cpuTime(b, syscall.RUSAGE_THREAD)-pacer
	lag := lagsOf(stage.set)
	b.ReportMetric(float64(lag.ValueAtQuantile(50)), "lag-p50-us")
	b.ReportMetric(float64(lag.ValueAtQuantile(99)), "lag-p99-us")
	b.ReportMetric(float64(lag.Max()), "lag-max-us")
	b.ReportMetric(100*all.Seconds()/b.Elapsed().Seconds(), "cpu-%")
	b.ReportMetric(100*pacer.Seconds()/b.Elapsed().Seconds(), "pacer-cpu-%")
}
