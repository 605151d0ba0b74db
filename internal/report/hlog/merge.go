package hlog

import (
	"container/heap"
	"errors"
	"fmt"
	"io"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/report/instant"
)

// Log is a worker's interval log.
type Log struct {
	Name    string
	Content io.Reader
}

// SideBySide reads the logs of several workers together, so that rows of one second come close to each other. It calls
// each for every row that is wanted, with its histogram.
func SideBySide(logs []Log, wanted func(Row) bool, each func(Row, *hdr.PackedHistogram) error) error {
	var open logHeap
	for _, log := range logs {
		heap.Push(&open, &openLog{name: log.Name, rows: NewReader(log.Content)})
	}
	for len(open) > 0 {
		// The one that is behind goes on, or the others' seconds would wait for it.
		from := open[0]
		row, err := from.next(wanted)
		if errors.Is(err, io.EOF) {
			heap.Pop(&open)
			continue
		}
		if err == nil {
			err = from.call(row, each)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", from.name, err)
		}
		heap.Fix(&open, 0)
	}
	return nil
}

// openLog is one worker's log, on its way through the seconds.
type openLog struct {
	name   string
	rows   *Reader
	latest instant.Unix // of its wanted rows so far
}

// next is the next row that is wanted.
func (l *openLog) next(wanted func(Row) bool) (Row, error) {
	for {
		row, err := l.rows.Next()
		if err != nil {
			return row, err
		}
		if wanted(row) {
			l.latest = max(l.latest, row.At)
			return row, nil
		}
	}
}

func (l *openLog) call(row Row, each func(Row, *hdr.PackedHistogram) error) error {
	h, err := l.rows.Histogram(row)
	if err == nil {
		err = each(row, h)
	}
	if err != nil {
		return l.rows.At(err)
	}
	return nil
}

// logHeap has the log that is behind all others first.
type logHeap []*openLog

func (h logHeap) Len() int { return len(h) }

func (h logHeap) Less(i, j int) bool { return h[i].latest < h[j].latest }

func (h logHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *logHeap) Push(log any) { *h = append(*h, log.(*openLog)) }

func (h *logHeap) Pop() any {
	last := len(*h) - 1
	log := (*h)[last]
	*h = (*h)[:last]
	return log
}
