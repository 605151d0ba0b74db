package report

import (
	"container/heap"
	"errors"
	"fmt"
	"io"
	"io/fs"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
)

// quantiles are what a second's histogram comes to. Microseconds fit: a histogram ends at
// 600 s.
type quantiles struct {
	p50, p99 int32
	known    bool
}

// mergeSeconds merges the successes of all workers second by second. It reads the logs side
// by side, and gives a second's histogram up when the last of its rows was read, so that few
// are held at a time. The logs were read once before: their rows are sound, and counted.
func (l *latencies) mergeSeconds(fsys fs.FS, workers []*selfOf, injections []int64) error {
	l.calm = newCalm(l.clock, injections)
	var logs logHeap
	var files []io.Closer
	defer func() {
		for _, file := range files {
			file.Close()
		}
	}()
	for _, worker := range workers {
		name := worker.writer.File(bundle.Hlog)
		file, err := fsys.Open(name)
		if err != nil {
			return err
		}
		files = append(files, file)
		heap.Push(&logs, &secondsOf{name: name, log: newLogReader(file)})
	}
	open := openSeconds{sums: map[int64]*hdr.PackedHistogram{}}
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
			return fmt.Errorf("%s: %w", from.name, from.log.at(err))
		}
		heap.Fix(&logs, 0)
	}
	return nil
}

// mergeRow adds a log's row to its second.
func (l *latencies) mergeRow(open *openSeconds, log *logReader, row logRow) error {
	h, err := log.histogram(row)
	if err != nil {
		return err
	}
	second := l.clock.secondOf(row.atNanos)
	if err := open.add(second, h); err != nil {
		return err
	}
	left := l.rows.at(second)
	*left--
	if *left > 0 {
		return nil
	}
	sum := open.close(second)
	if sum.TotalCount() > 0 {
		at := Percentiles(sum, 50, 99)
		*l.seconds.at(second) = quantiles{p50: int32(at[0]), p99: int32(at[1]), known: true}
	}
	return l.calm.add(second, sum)
}

// secondsOf is one worker's log, on its way through the seconds.
type secondsOf struct {
	name   string
	log    *logReader
	latest int64 // Unix nanoseconds, of its rows with successes so far
}

// next is the next row with successes.
func (s *secondsOf) next(l *latencies) (logRow, error) {
	for {
		row, err := s.log.next()
		if err != nil {
			return row, err
		}
		if l.succeeded(row) && l.clock.records(l.clock.secondOf(row.atNanos)) {
			s.latest = max(s.latest, row.atNanos)
			return row, nil
		}
	}
}

// logHeap has the log that is behind all others first.
type logHeap []*secondsOf

func (h logHeap) Len() int           { return len(h) }
func (h logHeap) Less(i, j int) bool { return h[i].latest < h[j].latest }
func (h logHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *logHeap) Push(log any)      { *h = append(*h, log.(*secondsOf)) }
func (h *logHeap) Pop() any {
	last := len(*h) - 1
	log := (*h)[last]
	*h = (*h)[:last]
	return log
}
