package compute_test

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/report/compute"
	"github.com/kvbench/kvbench/internal/report/read"
	"github.com/kvbench/kvbench/internal/report/reporttest"
	"github.com/kvbench/kvbench/internal/report/timeline"
)

// What is kept of a run grows with its seconds, by few bytes; what is kept of the hour after
// a fault has a bound of its own.
func TestALongRunTakesLittleMemory(t *testing.T) {
	const short, long, bytesOfSecond, bytesOfDetail = 150, 600, 450, 10_000
	held := func(seconds int64, faulty bool) int64 {
		run := reporttest.NewLongRun(t, seconds, faulty)
		before := reporttest.HeapBytes()
		in, err := read.Bundle(run)
		if err != nil {
			t.Fatal(err)
		}
		took := reporttest.HeapBytes() - before
		r, err := compute.Merge(in)
		if err != nil {
			t.Fatal(err)
		}
		w := r.Workloads[0]
		if !r.Valid || w.Intended != seconds*1000 || int64(len(w.Series)) != seconds || w.Series[seconds-1].P99Micros == nil {
			t.Errorf("valid %t for %v: %d operations in %d seconds", r.Valid, r.InvalidReasons, w.Intended, len(w.Series))
		}
		runtime.KeepAlive(run)
		return took
	}
	little, more, detailed := held(short, false), held(long, false), held(long, true)
	if perSecond := (more - little) / (long - short); perSecond > bytesOfSecond {
		t.Errorf("a second takes %d bytes", perSecond)
	} else {
		t.Logf("a second takes %d bytes", perSecond)
	}
	if perSecond := (detailed - more) / (long/2 + timeline.DetailLead); perSecond > bytesOfDetail {
		t.Errorf("a second after a fault takes %d bytes", perSecond)
	} else {
		t.Logf("a second after a fault takes %d bytes", perSecond)
	}
}

// BenchmarkDay reports a day at 1,000/s by two workers, the longest run that the API takes.
func BenchmarkDay(b *testing.B) {
	run := reporttest.NewLongRun(b, 24*3600, true)
	for b.Loop() {
		before, peak, over := reporttest.HeapBytes(), int64(0), make(chan struct{})
		percent := debug.SetGCPercent(20)
		watched := make(chan struct{})
		go func() {
			defer close(watched)
			for {
				select {
				case <-over:
					return
				case <-time.After(20 * time.Millisecond):
				}
				var stats runtime.MemStats
				runtime.ReadMemStats(&stats)
				peak = max(peak, int64(stats.HeapAlloc))
			}
		}()
		in, err := read.Bundle(run)
		if err != nil {
			b.Fatal(err)
		}
		held := reporttest.HeapBytes() - before
		r, err := compute.Merge(in)
		if err != nil {
			b.Fatal(err)
		}
		document, err := r.JSON()
		if err != nil {
			b.Fatal(err)
		}
		close(over)
		<-watched
		debug.SetGCPercent(percent)
		b.ReportMetric(float64(held)/1e6, "MB-held")
		b.ReportMetric(float64(peak-before)/1e6, "MB-peak")
		b.ReportMetric(float64(len(document))/1e6, "MB-report")
		if !r.Valid {
			b.Error(r.InvalidReasons)
		}
	}
}
