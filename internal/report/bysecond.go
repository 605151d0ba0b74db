package report

import (
	"maps"
	"slices"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// bySecond has a histogram for each second of a workload.
type bySecond map[int64]*hdr.PackedHistogram

// at finds or makes a second's histogram.
func (b bySecond) at(second int64) *hdr.PackedHistogram {
	h := b[second]
	if h == nil {
		h = newHistogram()
		b[second] = h
	}
	return h
}

func (b bySecond) absorb(other bySecond) error {
	for second, h := range other {
		if err := merge(b.at(second), h); err != nil {
			return err
		}
	}
	return nil
}

// over adds up the seconds that keep says.
func (b bySecond) over(keep func(second int64) bool) (*hdr.PackedHistogram, error) {
	sum := newHistogram()
	for _, second := range slices.Sorted(maps.Keys(b)) {
		if !keep(second) {
			continue
		}
		if err := merge(sum, b[second]); err != nil {
			return nil, err
		}
	}
	return sum, nil
}
