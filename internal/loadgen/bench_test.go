package loadgen

import (
	"syscall"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/loadgen/pace"
	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/rate"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

// nothing is a store that does nothing, at once.
type nothing struct{ stores.Driver }

func (nothing) NewSession() (stores.Session, error) { return nothing{}, nil }
func (nothing) Do(*stores.Op) error                 { return nil }
func (nothing) Close() error                        { return nil }

func benchSessions(b *testing.B, stage *stage, properties map[string]string) func(number int) (*session, error) {
	b.Helper()
	spec, err := workload.Parse(properties, workload.FromRun(nil))
	if err != nil {
		b.Fatal(err)
	}
	keyspace := workload.NewKeyspace(spec, workload.Share{Records: 1_000_000, InsertBase: 1_000_000, Workers: 1})
	return func(number int) (*session, error) {
		return &session{stage: stage, thread: keyspace.NewThread(number), store: nothing{}, slot: number % pacerSlot}, nil
	}
}

// benchClosed is what one operation costs the generator, recording included.
func benchClosed(b *testing.B, properties map[string]string) {
	begin := time.Now()
	stage := &stage{begin: begin, set: record.NewSet(1, begin.UnixNano(), false), errors: newErrorCounts(), timeout: time.Second}
	s, _ := benchSessions(b, stage, properties)(0)
	b.ReportAllocs()
	before := cpuTime(b)
	for b.Loop() {
		s.closed()
	}
	b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/op")
}

func BenchmarkReadBasic(b *testing.B) {
	benchClosed(b, map[string]string{"readproportion": "1", "updateproportion": "0", "requestdistribution": "zipfian"})
}

func BenchmarkUpdateBasic(b *testing.B) {
	benchClosed(b, map[string]string{"readproportion": "0", "updateproportion": "1", "requestdistribution": "zipfian"})
}

// BenchmarkOpenLoop1000 sends b.N operations at a constant 1,000/s, and tells how late
// they were and what share of a core that took.
func BenchmarkOpenLoop1000(b *testing.B) {
	begin := time.Now().Add(10 * time.Millisecond)
	stage := &stage{begin: begin, set: record.NewSet(pacerSlot+1, begin.UnixNano(), true), errors: newErrorCounts(), timeout: time.Second}
	open := benchSessions(b, stage, map[string]string{"requestdistribution": "zipfian"})
	loop := &openLoop{
		stage: stage, waiter: realWaiter, law: pace.NewConstant(rate.Flat(1000), 0, 1), fit: pace.NewFit(rate.Flat(1000), 1000, 1, true), schedule: schedule{end: time.Duration(b.N) * time.Millisecond},
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

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
