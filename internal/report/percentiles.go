package report

import (
	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
)

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

// percentile is one of them.
func percentile(h *hdr.PackedHistogram, p float64) int64 { return Percentiles(h, p)[0] }
