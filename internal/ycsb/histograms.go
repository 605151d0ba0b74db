package ycsb

import (
	"strconv"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// eachValue calls f for each bucket of the histogram: the middle of the values that it
// does not tell apart, in microseconds, and how many there are.
func eachValue(h *hdr.PackedHistogram, f func(micros float64, count int64)) {
	h.ForEachBucket(func(value, count int64) bool {
		f(float64(value+bucketWidth(value)/2), count)
		return true
	})
}

// bucketWidth is how many values share the bucket that begins at value: with three digits,
// one below 2,048, and from there on twice as many from each power of two on.
func bucketWidth(value int64) int64 {
	width := int64(1)
	for ; value >= 2048; value >>= 1 {
		width *= 2
	}
	return width
}

// mean is Java's HdrHistogram.getMean, NaN when empty. The library's adds up in another
// order.
func mean(h *hdr.PackedHistogram) float64 {
	var sum float64
	eachValue(h, func(micros float64, count int64) { sum += micros * float64(count) })
	return sum / float64(h.TotalCount())
}

// variance is YCSB's, in square microseconds.
func variance(h *hdr.PackedHistogram) float64 {
	var squares float64
	eachValue(h, func(micros float64, count int64) { squares += micros * micros * float64(count) })
	average := mean(h)
	return squares/float64(h.TotalCount()) - average*average
}

// bucketEntries are those of measurementtype=histogram, which has so many buckets of 1 ms:
// percentiles are the millisecond that they are in, and there are none beyond the last
// bucket.
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
	counts := make([]int64, buckets+1) // what is beyond the last is in one more
	for value, count := range h.ForEachBucket {
		counts[min(value/1000, int64(buckets))] += count
	}
	for millis, count := range counts[:buckets] {
		list = append(list, entry{metric, strconv.Itoa(millis), count})
	}
	return append(list, entry{metric, ">" + strconv.Itoa(buckets), counts[buckets]})
}

// bucketOf is the first millisecond that has, with those before it, at least that share of
// all values; -1 without any.
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
