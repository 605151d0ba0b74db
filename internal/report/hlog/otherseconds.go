package hlog

import (
	"errors"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/report/histogram"
)

// otherSeconds adds up the comments before a row. Each of them is a row of another second: the following row has its
// operations too, since they ended in the row's second, and they were intended in the comment's.
type otherSeconds struct {
	of  Row
	sum *hdr.PackedHistogram // nil without any
}

// add takes the row of a comment.
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

// take is the sum of the comments before the row, and nil without any. The next row begins with none.
func (e *otherSeconds) take(row Row) (*hdr.PackedHistogram, error) {
	of, sum := e.of, e.sum
	*e = otherSeconds{}
	if sum != nil && !of.alike(row) {
		return nil, errors.New("has another tag than the comments before it")
	}
	return sum, nil
}
