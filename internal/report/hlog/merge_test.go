package hlog

import (
	"bytes"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/histogram"
)

func TestLogsOfAllWorkersMergeExactly(t *testing.T) {
	whole, merged := hdr.New(1, bundle.HistogramMaxMicros, bundle.HistogramDigits), histogram.New()
	for worker := range int64(5) {
		log := bundletest.Logged{}
		for i := range int64(1000) {
			micros := 1 + i*i*i*(worker+1)%bundle.HistogramMaxMicros
			log.Record(1_800_000_000+i%3, "READ", micros)
			if err := whole.RecordValue(micros); err != nil {
				t.Fatal(err)
			}
		}
		err := Read(bytes.NewReader(log.Bytes(t)), func(_ Row, h *hdr.PackedHistogram) error { return histogram.Merge(merged, h) })
		if err != nil {
			t.Fatal(err)
		}
	}
	got := histogram.Latency(merged)
	want := report.Latency{
		P50Micros: whole.ValueAtPercentile(50), P95Micros: whole.ValueAtPercentile(95), P99Micros: whole.ValueAtPercentile(99),
		P999Micros: whole.ValueAtPercentile(99.9), MaxMicros: whole.Max(), MeanMicros: int64(whole.Mean() + 0.5),
	}
	if *got != want || merged.TotalCount() != 5000 {
		t.Errorf("%d values: %+v, want %+v", merged.TotalCount(), *got, want)
	}
}
