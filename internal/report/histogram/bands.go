package histogram

import (
	"math"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
)

// bandsOfDecade is how finely latencies are divided into bands: each is a fifth wider than the one before.
const bandsOfDecade = 12

// BandBounds are the upper bounds of the bands of a heat map, in microseconds.
func BandBounds() (bounds []int64) {
	for i := 0; ; i++ {
		bound := int64(math.Round(10 * math.Pow(10, float64(i)/bandsOfDecade)))
		bounds = append(bounds, bound)
		if bound >= bundle.HistogramMaxMicros {
			return bounds
		}
	}
}

// Bands counts the values of a histogram by band: the first whose bound isn't below the value. The list has band and number, band and
// number, in the order of the bands. A value is right to the histogram's three digits.
func Bands(h *hdr.PackedHistogram, bounds []int64) []int64 {
	listed, band, count := []int64{}, 0, int64(0)
	for value, n := range h.ForEachBucket {
		next := band
		for next < len(bounds)-1 && bounds[next] < value {
			next++
		}
		if next != band && count > 0 {
			listed, count = append(listed, int64(band), count), 0
		}
		band, count = next, count+n
	}
	return append(listed, int64(band), count)
}
