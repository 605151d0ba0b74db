package latency

import (
	"errors"
	"math"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/report/limits"
)

// Sends counts the operations that a worker intended in a second, and those of them that it sent in time: at most
// limits.MaxLagMicros after their intended time they were sent, or waited for the store. Both count by intended time, so
// the end of a second takes no operation from either.
type Sends struct{ Intended, InTime uint32 }

// add adds a row of lags: each operation that was intended has one.
func (s *Sends) add(h *hdr.PackedHistogram) error {
	late := int64(0)
	if h.Max() > limits.MaxLagMicros {
		for value, count := range h.ForEachBucket {
			if value > limits.MaxLagMicros {
				late += count
			}
		}
	}
	intended := int64(s.Intended) + h.TotalCount()
	if intended > math.MaxUint32 {
		return errors.New("a second has more sends than there can be")
	}
	s.Intended, s.InTime = uint32(intended), s.InTime+uint32(h.TotalCount()-late)
	return nil
}
