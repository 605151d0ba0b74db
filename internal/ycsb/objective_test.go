package ycsb

import (
	"errors"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
	"github.com/kvbench/kvbench/internal/ycsb/measurements"
)

func TestObjectives(t *testing.T) {
	for text, want := range map[string]Objective{
		"p99 of READ at most 10ms":                {99, stores.Read, 10 * time.Millisecond},
		" p99.9  of update at most 1.5s":          {99.9, stores.Update, 1500 * time.Millisecond},
		"p100 of READ-MODIFY-WRITE at most 250us": {100, stores.ReadModifyWrite, 250 * time.Microsecond},
		"p0 of READ at most 10ms":                 {},
		"p101 of READ at most 10ms":               {},
		"p9.9.9 of READ at most 10ms":             {},
		"p99 of READS at most 10ms":               {},
		"p99 of READ at most 10":                  {},
		"p99 of READ at most -1ms":                {},
		"p99 of READ below 10ms":                  {},
		"":                                        {},
	} {
		got, err := ParseObjective(text)
		if (err == nil) != (want != Objective{}) || err == nil && got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
		if again, broken := ParseObjective(got.String()); err == nil && (broken != nil || again != got) {
			t.Errorf("%q is written as %q, which is %+v, %v", text, got, again, broken)
		}
	}
}

func TestWhatFailedIsBeyondEveryBound(t *testing.T) {
	h := histogram.New()
	for i := range int64(100) {
		if err := h.RecordValue(i + 1); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		failed     int64
		percentile float64
		want       time.Duration
	}{
		{0, 50, 50 * time.Microsecond}, {0, 99, 99 * time.Microsecond}, {0, 100, 100 * time.Microsecond}, {0, 0.001, time.Microsecond},
		{1, 99, 100 * time.Microsecond}, {1, 100, never}, {2, 99, never}, {100, 50, 100 * time.Microsecond}, {101, 50, never},
	} {
		if got := reached(h, c.failed, c.percentile); got != c.want {
			t.Errorf("p%g with %d failures is %v, want %v", c.percentile, c.failed, got, c.want)
		}
	}
	if got := reached(nil, 0, 50); got != never {
		t.Errorf("of no operation: %v", got)
	}
}

func TestAStepMeetsMissesOrHasNothingToSay(t *testing.T) {
	spec, err := workload.Parse(map[string]string{"readproportion": "0.9", "updateproportion": "0.1"}, workload.FromCommandLine())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name                string
		reads, late, failed int // operations within the bound and beyond it, and failures
		neverStarted        int64
		percentile          float64
		kind                stores.Kind
		met, nothing        bool
	}{
		{name: "all within", reads: 100, percentile: 99, met: true},
		{name: "one of a hundred late", reads: 99, late: 1, percentile: 99, met: true},
		{name: "two", reads: 98, late: 2, percentile: 99},
		{name: "two failed", reads: 98, failed: 2, percentile: 99},
		{name: "none of the kind", reads: 100, percentile: 99, kind: stores.Update, nothing: true},
		{name: "none of the kind that started", reads: 100, neverStarted: 10, percentile: 99, kind: stores.Update},
		{name: "of what never started, the kind's share", reads: 90, neverStarted: 11, percentile: 90, met: true},
		{name: "of what never started, too many", reads: 90, neverStarted: 12, percentile: 90},
	} {
		totals := &measurements.Totals{Histograms: map[measurements.Latencies]*hdr.PackedHistogram{}}
		add := func(status string, micros int64, n int) {
			if n == 0 {
				return
			}
			of := measurements.Latencies{Operation: "READ", Status: status}
			if totals.Histograms[of] == nil {
				totals.Histograms[of] = histogram.New()
			}
			if err := totals.Histograms[of].RecordValues(micros, int64(n)); err != nil {
				t.Fatal(err)
			}
		}
		add("", 1000, c.reads)
		add("", 50_000, c.late)
		add("FAILED", 1000, c.failed)
		p := &Point{Rate: 100, NeverStarted: c.neverStarted, figures: &figures{Figures: &measurements.Figures{Totals: totals}}}
		met, err := p.meets([]Objective{{c.percentile, c.kind, 10 * time.Millisecond}}, spec)
		if met != c.met || (err != nil) != c.nothing {
			t.Errorf("%s: %v, %v", c.name, met, err)
		}
	}
}

// Reads that take 5 ms, and some that are late; the bound is 10 ms for 99 %.
func TestWhatOnlyTheLagMissesIsUndecided(t *testing.T) {
	spec, err := workload.Parse(map[string]string{"readproportion": "1", "updateproportion": "0"}, workload.FromCommandLine())
	if err != nil {
		t.Fatal(err)
	}
	type times map[int64]int64 // micros, and how many
	for _, c := range []struct {
		name           string
		reads, lags    times
		neverStarted   int64
		met, undecided bool
	}{
		{name: "no lag", reads: times{5_000: 980, 11_000: 20}, lags: times{0: 1000}},
		{name: "met, the lag included", reads: times{9_000: 990, 11_000: 10}, lags: times{8_000: 1000}, met: true},
		{name: "nearly all of it is lag", reads: times{11_000: 1000}, lags: times{9_000: 1000}, undecided: true},
		{name: "as many were late as sent late", reads: times{5_000: 980, 13_000: 20}, lags: times{10: 980, 8_000: 20}, undecided: true},
		{name: "late without any lag", reads: times{5_000: 980, 30_000: 20}, lags: times{10: 980, 8_000: 20}},
		{name: "more were late than sent late", reads: times{5_000: 950, 13_000: 50}, lags: times{10: 980, 8_000: 20}},
		{name: "what never started is the store's", reads: times{5_000: 1000}, lags: times{9_000: 1020}, neverStarted: 20},
	} {
		totals := &measurements.Totals{Histograms: map[measurements.Latencies]*hdr.PackedHistogram{}, Lag: histogram.New()}
		reads := histogram.New()
		for _, fill := range []struct {
			into *hdr.PackedHistogram
			with times
		}{{reads, c.reads}, {totals.Lag, c.lags}} {
			for micros, n := range fill.with {
				if err := fill.into.RecordValues(micros, n); err != nil {
					t.Fatal(err)
				}
			}
		}
		totals.Histograms[measurements.Latencies{Operation: "READ", Response: true}] = reads
		p := &Point{Rate: 100, NeverStarted: c.neverStarted, figures: &figures{Figures: &measurements.Figures{Totals: totals, Open: true}}}
		met, err := p.meets([]Objective{{99, stores.Read, 10 * time.Millisecond}}, spec)
		var notValid *NotValid
		if met != c.met || errors.As(err, &notValid) != c.undecided || (err != nil) != c.undecided || (p.Invalid != nil) != c.undecided {
			t.Errorf("%s: %v, %v", c.name, met, err)
		}
	}
}
