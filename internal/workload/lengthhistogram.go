package workload

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// LengthHistogram draws field lengths from the counts of a file.
type LengthHistogram struct {
	blockSize int64
	// below holds how many of all counts are in this bucket or an earlier one.
	below []int64
}

// Limits of a histogram file.
const (
	maxBuckets = 1 << 16
	maxCounts  = 1 << 40 // of one bucket, so that their sum is below 2^63
)

// parseLengthHistogram reads YCSB's file: a line BlockSize<TAB>n, then lines
// bucket<TAB>count from bucket 0 on without a gap. A value of bucket i has (i+1)·n bytes;
// Java YCSB gives those of the last bucket i·n bytes, a slip of its loop. An error begins
// with name and line.
func parseLengthHistogram(data []byte, name string) (*LengthHistogram, error) {
	h := &LengthHistogram{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	line, sum := 0, int64(0)
	for ; lines.Scan(); line++ {
		if line > 0 && strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		if err := h.add(lines.Text(), &sum); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line+1, err)
		}
	}
	switch {
	case lines.Err() != nil:
		return nil, fmt.Errorf("%s:%d: %w", name, line+1, lines.Err())
	case sum == 0:
		return nil, fmt.Errorf("%s: no bucket has a count", name)
	}
	return h, nil
}

// add takes a line; sum is that of all counts.
func (h *LengthHistogram) add(line string, sum *int64) error {
	left, right, _ := strings.Cut(line, "\t")
	left, right = strings.TrimSpace(left), strings.TrimSpace(right)
	if h.blockSize == 0 {
		if left != "BlockSize" {
			return errors.New("must be BlockSize, a tab, and the bytes of a block")
		}
		if err := integer(&h.blockSize, right, 1, maxFieldLength); err != nil {
			return fmt.Errorf("the block size %q %w", right, err)
		}
		return nil
	}
	bucket, count := int64(-1), int64(0)
	want := int64(len(h.below))
	if err := integer(&bucket, left, want, want); err != nil {
		return fmt.Errorf("must be the count of bucket %d: its number, a tab, and the count", want)
	}
	if err := integer(&count, right, 0, maxCounts); err != nil {
		return fmt.Errorf("the count %q %w", right, err)
	}
	if bucket >= maxBuckets || (count > 0 && (bucket+1)*h.blockSize > maxFieldLength) {
		return fmt.Errorf("bucket %d is beyond %d buckets or %d bytes", bucket, maxBuckets, int64(maxFieldLength))
	}
	*sum += count
	h.below = append(h.below, *sum)
	return nil
}

// next draws a length. It allocates nothing.
func (h *LengthHistogram) next(rng *rand.Rand) int64 {
	return h.length(rng.Int64N(h.below[len(h.below)-1]))
}

// length is that of the n-th of all counted values.
func (h *LengthHistogram) length(n int64) int64 {
	bucket, _ := slices.BinarySearch(h.below, n+1)
	return int64(bucket+1) * h.blockSize
}

// longest is the longest that next draws.
func (h *LengthHistogram) longest() int64 { return h.length(h.below[len(h.below)-1] - 1) }
