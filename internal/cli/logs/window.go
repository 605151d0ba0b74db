package logs

import (
	"container/heap"
	"time"
)

// window puts lines in order that come from streams which may say nothing for long. It holds each line for a while, in case that
// an earlier one comes later, and never more than a number of them, or of bytes.
type window struct {
	hold      time.Duration
	most      int
	mostBytes int

	heads heads
	bytes int // of the lines that it holds
	count int // of lines ever added
}

// Add takes a line that arrived now.
func (w *window) Add(line Line, now time.Time) {
	heap.Push(&w.heads, head{line: line, stream: w.count, arrived: now})
	w.count++
	w.bytes += len(line.Text)
}

// Due gives the lines whose time has come, in their order.
func (w *window) Due(now time.Time) (due []Line) {
	for len(w.heads) > 0 && (len(w.heads) > w.most || w.bytes > w.mostBytes || now.Sub(w.heads[0].arrived) >= w.hold) {
		line := heap.Pop(&w.heads).(head).line
		w.bytes -= len(line.Text)
		due = append(due, line)
	}
	return due
}
