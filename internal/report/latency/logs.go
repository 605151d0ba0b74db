package latency

import (
	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/report/hlog"
	"github.com/kvbench/kvbench/internal/report/instant"
)

// MergeSeconds merges the successes of all workers second by second. It reads the logs side
// by side, and gives a second's histogram up when the last of its rows was read, so that few
// are held at a time. The logs were read once before: their rows are sound, and counted.
func (l *Latencies) MergeSeconds(logs []hlog.Log, injections []instant.FromStart) error {
	l.baseline = newBaseline(l.Clock, injections)
	var open histogram.Sums[instant.Second]
	wanted := func(row hlog.Row) bool { return l.succeeded(row) && l.Clock.Records(l.Clock.SecondOf(row.At)) }
	return hlog.SideBySide(logs, wanted, func(row hlog.Row, h *hdr.PackedHistogram) error {
		return l.mergeRow(&open, l.Clock.SecondOf(row.At), h)
	})
}

// mergeRow adds a row to its second.
func (l *Latencies) mergeRow(open *histogram.Sums[instant.Second], second instant.Second, h *hdr.PackedHistogram) error {
	if err := open.Add(second, h); err != nil {
		return err
	}
	left := l.rows.At(second)
	*left--
	if *left > 0 {
		return nil
	}
	sum := open.Close(second)
	if sum.TotalCount() > 0 {
		at := histogram.Percentiles(sum, 50, 99)
		*l.Seconds.At(second) = quantiles{P50: int32(at[0]), P99: int32(at[1]), Known: true}
	}
	return l.baseline.add(second, sum)
}

// quantiles are what a second's histogram comes to. Microseconds fit: a histogram ends at
// 600 s.
type quantiles struct {
	P50, P99 int32
	Known    bool
}
