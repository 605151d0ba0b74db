package latency

import (
	"container/heap"
	"errors"
	"fmt"
	"io"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/report/hlog"
	"github.com/kvbench/kvbench/internal/report/instant"
)

// Log is a worker's interval log.
type Log struct {
	Name    string
	Content io.Reader
}

// MergeSeconds merges the successes of all workers second by second. It reads the logs side
// by side, and gives a second's histogram up when the last of its rows was read, so that few
// are held at a time. The logs were read once before: their rows are sound, and counted.
func (l *Latencies) MergeSeconds(all []Log, injections []instant.FromStart) error {
	l.baseline = newBaseline(l.Clock, injections)
	var logs logHeap
	for _, log := range all {
		heap.Push(&logs, &workerLog{name: log.Name, log: hlog.NewReader(log.Content)})
	}
	open := openSeconds{sums: map[instant.Second]*hdr.PackedHistogram{}}
	for len(logs) > 0 {
		// The one that is behind goes on, or the others' seconds would wait for it.
		from := logs[0]
		row, err := from.next(l)
		if errors.Is(err, io.EOF) {
			heap.Pop(&logs)
			continue
		}
		if err == nil {
			err = l.mergeRow(&open, from.log, row)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", from.name, from.log.At(err))
		}
		heap.Fix(&logs, 0)
	}
	return nil
}

// mergeRow adds a log's row to its second.
func (l *Latencies) mergeRow(open *openSeconds, log *hlog.Reader, row hlog.Row) error {
	h, err := log.Histogram(row)
	if err != nil {
		return err
	}
	second := l.Clock.SecondOf(row.At)
	if err := open.add(second, h); err != nil {
		return err
	}
	left := l.rows.At(second)
	*left--
	if *left > 0 {
		return nil
	}
	sum := open.close(second)
	if sum.TotalCount() > 0 {
		at := histogram.Percentiles(sum, 50, 99)
		*l.Seconds.At(second) = quantiles{P50: int32(at[0]), P99: int32(at[1]), Known: true}
	}
	return l.baseline.add(second, sum)
}

// workerLog is one worker's log, on its way through the seconds.
type workerLog struct {
	name   string
	log    *hlog.Reader
	latest instant.Unix // of its rows with successes so far
}

// next is the next row with successes.
func (s *workerLog) next(l *Latencies) (hlog.Row, error) {
	for {
		row, err := s.log.Next()
		if err != nil {
			return row, err
		}
		if l.succeeded(row) && l.Clock.Records(l.Clock.SecondOf(row.At)) {
			s.latest = max(s.latest, row.At)
			return row, nil
		}
	}
}

// logHeap has the log that is behind all others first.
type logHeap []*workerLog

func (h logHeap) Len() int { return len(h) }

func (h logHeap) Less(i, j int) bool { return h[i].latest < h[j].latest }

func (h logHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *logHeap) Push(log any) { *h = append(*h, log.(*workerLog)) }

func (h *logHeap) Pop() any {
	last := len(*h) - 1
	log := (*h)[last]
	*h = (*h)[:last]
	return log
}
