package hlog

import (
	"errors"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/report/histogram"
)

// otherSeconds is what comments said of the row that follows them: which of its operations were
// intended in other seconds than its own. Each of these comments is a row of that other second.
type otherSeconds struct {
	of  Row
	sum *hdr.PackedHistogram // nil without any
}

// add takes a comment's row.
func (e *otherSeconds) add(row Row, h *hdr.PackedHistogram) error {
	if e.sum == nil {
		*e = otherSeconds{of: row, sum: h}
		return nil
	}
	if !e.of.alike(row) {
		return errors.New("comments of two tags before one row")
	}
	return histogram.Merge(e.sum, h)
}

// take is what there was before the row, which begins anew after it; nil without any.
func (e *otherSeconds) take(row Row) (*hdr.PackedHistogram, error) {
	of, sum := e.of, e.sum
	*e = otherSeconds{}
	if sum != nil && !of.alike(row) {
		return nil, errors.New("has another tag than the comments before it")
	}
	return sum, nil
}
