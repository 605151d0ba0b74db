package measurements

import (
	"strconv"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/report/histogram"
)

// eachValue calls f for each bucket of the histogram, with the middle of the bucket's values in microseconds
// and their number.
func eachValue(h *hdr.PackedHistogram, f func(micros float64, count int64)) {
	h.ForEachBucket(func(value, count int64) bool {
		f(float64(value+histogram.BucketWidth(value)/2), count)
		return true
	})
}

// mean is the getMean of HdrHistogram in Java. It is NaN for an empty histogram. The mean of the library in Go
// is another float64, because it adds the values up in another order.
func mean(h *hdr.PackedHistogram) float64 {
	var sum float64
	eachValue(h, func(micros float64, count int64) { sum += micros * float64(count) })
	return sum / float64(h.TotalCount())
}

// variance is computed as YCSB does, in square microseconds.
func variance(h *hdr.PackedHistogram) float64 {
	var squares float64
	eachValue(h, func(micros float64, count int64) { squares += micros * micros * float64(count) })
	average := mean(h)
	return squares/float64(h.TotalCount()) - average*average
}

// bucketPercentiles are the percentiles that YCSB gives for measurementtype=histogram.
var bucketPercentiles = []float64{95, 99}

// bucketEntries are the lines of measurementtype=histogram. It has so many buckets, each of 1 ms. A percentile
// is the millisecond that it lies in. Beyond the last bucket there are no percentiles.
func bucketEntries(metric string, h *hdr.PackedHistogram, buckets int, verbose bool, codes []entry) []entry {
	lowest, highest := h.Min(), h.Max()
	if h.TotalCount() == 0 {
		lowest, highest = -1, -1
	}
	list := []entry{
		{metric, "Operations", h.TotalCount()},
		{metric, "AverageLatency(us)", mean(h)},
		{metric, "LatencyVariance(us)", variance(h)},
		{metric, "MinLatency(us)", lowest},
		{metric, "MaxLatency(us)", highest},
	}
	for _, percentile := range bucketPercentiles {
		if millis := bucketOf(h, percentile/100); millis >= 0 && millis < int64(buckets) {
			list = append(list, entry{metric, ordinal(percentile) + "PercentileLatency(us)", millis * 1000})
		}
	}
	list = append(list, named(metric, codes)...)
	if !verbose {
		return list
	}
	counts := make([]int64, buckets+1) // the additional one is for what lies beyond the last bucket
	for value, count := range h.ForEachBucket {
		counts[min(value/1000, int64(buckets))] += count
	}
	for millis, count := range counts[:buckets] {
		list = append(list, entry{metric, strconv.Itoa(millis), count})
	}
	return append(list, entry{metric, ">" + strconv.Itoa(buckets), counts[buckets]})
}

// bucketOf is the first millisecond up to which at least that share of all values lies. It is -1 if there are
// no values.
func bucketOf(h *hdr.PackedHistogram, share float64) (millis int64) {
	var seen int64
	total := float64(h.TotalCount())
	for value, count := range h.ForEachBucket {
		seen += count
		if float64(seen)/total >= share {
			return value / 1000
		}
	}
	return -1
}
