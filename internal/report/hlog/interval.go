package hlog

import (
	"io"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/report/instant"
)

// Interval is what an interval log has of one second: the latencies, in microseconds, of operations
// of one kind with one outcome that were intended in it, or the lags of their sends. A second has
// several of them.
type Interval struct {
	UnixSeconds int64 // its begin
	Lag         bool  // and then neither operation nor outcome
	Operation   string
	Outcome     string
	Response    bool // from the intended start; else from the send
	Part        bool // of parts of other operations
	Histogram   *hdr.PackedHistogram
}

// ReadIntervals calls each for every row of a worker's or loader's interval log, which may be hostile. It leaves out
// rows of waits, for which YCSB's outputs have no place.
func ReadIntervals(r io.Reader, each func(Interval) error) error {
	return Read(r, func(row Row, h *hdr.PackedHistogram) error {
		if row.Time == WaitTime || h.TotalCount() == 0 {
			return nil
		}
		return each(Interval{
			UnixSeconds: int64(row.At) / instant.NanosPerSecond, Lag: row.Lag, Operation: row.Operation,
			Outcome: row.Outcome, Response: row.Time == ResponseTime, Part: row.Part, Histogram: h,
		})
	})
}
