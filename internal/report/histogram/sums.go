package histogram

import (
	"fmt"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

const (
	// maxOpenBuckets bounds the buckets of the sums that wait for their last row. A bucket takes 5 to
	// 13 bytes. A row that we write has some hundreds, so that this is an hour of a worker whose operations
	// end that late, and a row of the geometry that a bundle may hold has 20,480 at most: a hundred seconds.
	maxOpenBuckets = 1 << 21

	// bucketsOfSum is what a sum takes besides, in buckets.
	bucketsOfSum = 64
)

// Sums are the histograms of which some rows were added, and others are still to come. They are few where the rows
// are in the order of time. The rows come from pods, so they may be in any order: the sums' size is bounded.
type Sums[K comparable] struct {
	sums    map[K]*hdr.PackedHistogram
	buckets int64 // of all sums
}

// Add adds a row, whose histogram is its own from then on.
func (s *Sums[K]) Add(key K, row *hdr.PackedHistogram) error {
	if s.sums == nil {
		s.sums = map[K]*hdr.PackedHistogram{}
	}
	sum := s.sums[key]
	if sum == nil {
		s.sums[key] = row
		s.buckets += int64(row.Populated()) + bucketsOfSum
	} else {
		s.buckets -= int64(sum.Populated())
		if err := Merge(sum, row); err != nil {
			return err
		}
		s.buckets += int64(sum.Populated())
	}
	if s.buckets > maxOpenBuckets {
		return fmt.Errorf("rows are out of order: %d seconds wait for rows that come later, and their histograms have more than %d buckets", len(s.sums), maxOpenBuckets)
	}
	return nil
}

// Close takes out a sum that is complete.
func (s *Sums[K]) Close(key K) *hdr.PackedHistogram {
	sum := s.sums[key]
	delete(s.sums, key)
	s.buckets -= int64(sum.Populated()) + bucketsOfSum
	return sum
}
