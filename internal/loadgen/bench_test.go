package loadgen

import (
	"context"
	"fmt"
	"io"
	"syscall"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/loadgen/record"
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

// writeEachSecond writes down what is recorded until stop is closed.
func writeEachSecond(log *record.Log, set *record.Set, stop <-chan struct{}) error {
	for ticks := time.Tick(time.Second); ; {
		select {
		case <-ticks:
		case <-stop:
			return log.Write(set.Collect(), time.Now().UnixNano())
		}
		if err := log.Write(set.Collect(), time.Now().UnixNano()); err != nil {
			return err
		}
	}
}

// BenchmarkClosedLoop is what an operation costs the generator: it is drawn, its key and
// its values are made and handed over, and what became of it is recorded and written down
// every second.
func BenchmarkClosedLoop(b *testing.B) {
	for _, operation := range []string{"read", "update"} {
		for _, threads := range []int{1, 16} {
			b.Run(fmt.Sprintf("op=%s/threads=%d", operation, threads), func(b *testing.B) {
				properties := map[string]string{"readproportion": "0", "updateproportion": "0", "requestdistribution": "zipfian"}
				properties[operation+"proportion"] = "1"
				benchClosed(b, properties, threads)
			})
		}
	}
}

func benchClosed(b *testing.B, properties map[string]string, threads int) {
	loop, stage := benchLoop(b, properties, threads)
	log, err := record.NewLog(io.Discard, io.Discard, stage.begin.UnixNano())
	if err != nil {
		b.Fatal(err)
	}
	stop, written := make(chan struct{}), make(chan error)
	go func() { written <- writeEachSecond(log, stage.set, stop) }()
	b.ReportAllocs()
	before := cpuTime(b)
	b.ResetTimer()
	if _, err := loop.run(context.Background()); err != nil {
		b.Error(err)
	}
	b.StopTimer()
	used := cpuTime(b) - before
	close(stop)
	if err := <-written; err != nil {
		b.Error(err)
	}
	b.ReportMetric(float64(used)/float64(b.N), "cpu-ns/op")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
}

// benchLoop makes b.N operations.
func benchLoop(b *testing.B, properties map[string]string, threads int) (*closedLoop, *stage) {
	b.Helper()
	begin := time.Now()
	stage := &stage{begin: begin, set: record.NewSet(threads, begin.UnixNano(), false), errors: newErrorCounts(), timeout: time.Second}
	open := benchSessions(b, stage, properties)
	loop := &closedLoop{schedule: schedule{end: forever, operations: int64(b.N)}}
	for number := range threads {
		s, err := open(number)
		if err != nil {
			b.Fatal(err)
		}
		loop.sessions = append(loop.sessions, s)
	}
	return loop, stage
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
