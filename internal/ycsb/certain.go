package ycsb

import (
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/histogram"
)

// surelyMissed says whether an objective is missed whatever the generator's own lag was. Of
// single operations nobody knows both times. But of those beyond bound + x, for any x, no
// more can be within the bound without their lag than had a lag beyond x: the others are the
// store's (the union bound). lag has those of all kinds, which makes it no less certain.
func surelyMissed(h, lag *hdr.PackedHistogram, failed int64, o Objective) bool {
	var total int64
	if h != nil {
		total = h.TotalCount()
	}
	allowed := total + failed - bundle.Rank(o.Percentile, total+failed)
	var lags int64
	if lag != nil {
		lags = lag.TotalCount()
	}
	surely := func(x time.Duration, longer int64) bool { return failed+beyond(h, o.Bound+x)-longer > allowed }
	if surely(0, lags) {
		return true
	}
	if lag == nil {
		return false
	}
	for value, count := range lag.ForEachBucket {
		lags -= count
		if surely(time.Duration(value+histogram.BucketWidth(value)-1)*time.Microsecond, lags) {
			return true
		}
	}
	return false
}

// beyond counts what took longer than the bound, at the histogram's precision as reached does.
func beyond(h *hdr.PackedHistogram, bound time.Duration) (n int64) {
	if h == nil {
		return 0
	}
	h.ForEachBucket(func(value, count int64) bool {
		if time.Duration(value+histogram.BucketWidth(value)-1)*time.Microsecond > bound {
			n += count
		}
		return true
	})
	return n
}
