package measurements

import (
	"math"
	"strconv"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/report/histogram"
)

// hdrEntries are the lines of measurementtype=hdrhistogram.
func hdrEntries(metric string, h *hdr.PackedHistogram, percentiles []float64, verbose bool, codes []entry) []entry {
	lowest := h.Min()
	if h.TotalCount() == 0 {
		lowest = math.MaxInt64 // as in Java
	}
	list := []entry{
		{metric, "Operations", h.TotalCount()},
		{metric, "AverageLatency(us)", mean(h)},
		{metric, "MinLatency(us)", lowest},
		{metric, "MaxLatency(us)", h.Max()},
	}
	for i, value := range histogram.Percentiles(h, percentiles...) {
		list = append(list, entry{metric, ordinal(percentiles[i]) + "PercentileLatency(us)", value})
	}
	list = append(list, named(metric, codes)...)
	if verbose {
		for value, count := range h.ForEachBucket {
			highest := value + histogram.BucketWidth(value) - 1
			list = append(list, entry{metric, strconv.FormatInt(highest, 10), float64(count)})
		}
	}
	return list
}

// ordinal is 1st, 95th and so on. As in YCSB, a fraction has no suffix.
func ordinal(n float64) string {
	if n != math.Trunc(n) {
		return javaDouble(n)
	}
	whole := int(n)
	suffix := "th"
	switch {
	case whole%100 >= 11 && whole%100 <= 13:
	case whole%10 == 1:
		suffix = "st"
	case whole%10 == 2:
		suffix = "nd"
	case whole%10 == 3:
		suffix = "rd"
	}
	return strconv.Itoa(whole) + suffix
}
