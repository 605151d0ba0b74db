package report

import (
	"errors"
	"fmt"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// elsewhere is what comments said of the row that follows them: which of its operations were
// intended in other seconds than its own. Each of these comments is a row of that other second.
type elsewhere struct {
	of  logRow
	sum *hdr.PackedHistogram // nil without any
}

// add takes a comment's row.
func (e *elsewhere) add(row logRow, h *hdr.PackedHistogram) error {
	if e.sum == nil {
		*e = elsewhere{of: row, sum: h}
		return nil
	}
	if !e.of.alike(row) {
		return errors.New("comments of two tags before one row")
	}
	return merge(e.sum, h)
}

// take is what there was before the row, which begins anew after it; nil without any.
func (e *elsewhere) take(row logRow) (*hdr.PackedHistogram, error) {
	of, sum := e.of, e.sum
	*e = elsewhere{}
	if sum != nil && !of.alike(row) {
		return nil, errors.New("has another tag than the comments before it")
	}
	return sum, nil
}

// alike says whether two rows have one tag.
func (r logRow) alike(other logRow) bool {
	return r.lag == other.lag && r.operation == other.operation && r.outcome == other.outcome && r.time == other.time && r.part == other.part
}

// without is what is left of a histogram; part is a part of it.
func without(whole, part *hdr.PackedHistogram) (*hdr.PackedHistogram, error) {
	rest := newHistogram()
	for value, count := range whole.ForEachBucket {
		left := count - part.CountAtValue(value)
		if left < 0 {
			return nil, fmt.Errorf("histogram: fewer values around %d than the comments before it", value)
		}
		if err := rest.RecordValues(value, left); err != nil {
			return nil, fmt.Errorf("histogram: %w", err)
		}
	}
	if rest.TotalCount() != whole.TotalCount()-part.TotalCount() {
		return nil, errors.New("histogram: lacks values of the comments before it")
	}
	return rest, nil
}
