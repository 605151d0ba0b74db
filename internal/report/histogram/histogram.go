// Package histogram has the one geometry of histograms that a bundle may hold, and what is done with them. Merging loses
// no value: a histogram that can't take one is an error.
package histogram

import (
	"errors"
	"fmt"
	"math"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
)

// Subtract is a histogram without a part of it.
func Subtract(whole, part *hdr.PackedHistogram) (*hdr.PackedHistogram, error) {
	rest := New()
	for value, count := range whole.ForEachBucket {
		left := count - part.CountAtValue(value)
		if left < 0 {
			return nil, fmt.Errorf("histogram: fewer values around %d than the comments before it", value)
		}
		if err := rest.RecordValues(value, left); err != nil {
			return nil, fmt.Errorf("histogram: %w", err)
		}
	}
	if rest.TotalCount() != whole.TotalCount()-part.TotalCount() {
		return nil, errors.New("histogram: lacks values of the comments before it")
	}
	return rest, nil
}

// New is an empty histogram of that geometry.
func New() *hdr.PackedHistogram {
	return hdr.NewPacked(1, bundle.HistogramMaxMicros, bundle.HistogramDigits)
}

// Merge adds from to into. Equal geometries lose nothing. A value that was lost would make every percentile wrong, so it
// is an error.
func Merge(into, from *hdr.PackedHistogram) error {
	if dropped := into.Merge(from); dropped != 0 {
		return fmt.Errorf("merging histograms dropped %d values", dropped)
	}
	return nil
}

// Latency sums up a histogram; nil for an empty one.
func Latency(h *hdr.PackedHistogram) *report.Latency {
	if h == nil || h.TotalCount() == 0 {
		return nil
	}
	at := Percentiles(h, 50, 95, 99, 99.9)
	return &report.Latency{
		P50Micros:  at[0],
		P95Micros:  at[1],
		P99Micros:  at[2],
		P999Micros: at[3],
		MaxMicros:  h.Max(),
		MeanMicros: int64(math.Round(h.Mean())),
	}
}

// Percentiles are those of a histogram by bundle.Rank: the highest value that its buckets don't tell from
// the one of that rank, and for 0 the lowest. All are 0 of an empty one. The library's own rank is the
// nearest, up or down, to the percentile's.
func Percentiles(h *hdr.PackedHistogram, percentiles ...float64) []int64 {
	n := h.TotalCount()
	exact := make([]float64, len(percentiles))
	for i, p := range percentiles {
		if p > 0 && n > 0 {
			exact[i] = 100 * float64(bundle.Rank(p, n)) / float64(n)
		}
	}
	return h.ValueAtPercentilesSlice(exact)
}

// Percentile is one of them.
func Percentile(h *hdr.PackedHistogram, p float64) int64 { return Percentiles(h, p)[0] }
