package latency

import (
	"fmt"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/report/instant"
)

const (
	// maxOpenBuckets bounds the buckets of the seconds that wait for their last row. A bucket takes 5 to
	// 13 bytes. A row that we write has some hundreds, so that this is an hour of a worker whose operations
	// end that late, and a row of the geometry that a bundle may hold has 20,480 at most: a hundred seconds.
	maxOpenBuckets = 1 << 21

	// bucketsOfSecond is what a second takes besides, in buckets.
	bucketsOfSecond = 64
)

// openSeconds are the seconds of which some rows were read, and others are still to come. They are few where the rows
// are in the order of time. The rows come from pods, so they may be in any order.
type openSeconds struct {
	sums    map[instant.Second]*hdr.PackedHistogram
	buckets int64 // of all sums
}

// add adds a row, whose histogram is its own from then on.
func (o *openSeconds) add(second instant.Second, row *hdr.PackedHistogram) error {
	sum := o.sums[second]
	if sum == nil {
		o.sums[second] = row
		o.buckets += int64(row.Populated()) + bucketsOfSecond
	} else {
		o.buckets -= int64(sum.Populated())
		if err := histogram.Merge(sum, row); err != nil {
			return err
		}
		o.buckets += int64(sum.Populated())
	}
	if o.buckets > maxOpenBuckets {
		return fmt.Errorf("rows are out of order: %d seconds wait for rows that come later, and their histograms have more than %d buckets", len(o.sums), maxOpenBuckets)
	}
	return nil
}

// close takes out the sum of a second that is complete.
func (o *openSeconds) close(second instant.Second) *hdr.PackedHistogram {
	sum := o.sums[second]
	delete(o.sums, second)
	o.buckets -= int64(sum.Populated()) + bucketsOfSecond
	return sum
}

// quantiles are what a second's histogram comes to. Microseconds fit: a histogram ends at
// 600 s.
type quantiles struct {
	P50, P99 int32
	Known    bool
}
