package logs

import (
	"container/heap"
	"errors"
	"io"
	"time"
)

// Stream gives lines in their order. After the last one its error is io.EOF.
type Stream interface {
	Next() (Line, error)
}

// Merge emits the lines of all streams in order of time. It holds one line of each, however long they are. Lines of one stream
// keep their order, also where their times don't. Of lines of one instant those of the earlier stream come first.
//
// A stream that breaks ends there, and failed is told. An error of emit ends all.
func Merge(streams []Stream, emit func(Line) error, failed func(stream int, err error)) error {
	var heads heads
	next := func(i int) {
		line, err := streams[i].Next()
		switch {
		case err == nil:
			heap.Push(&heads, head{line: line, stream: i})
		case !errors.Is(err, io.EOF):
			failed(i, err)
		}
	}
	for i := range streams {
		next(i)
	}
	for len(heads) > 0 {
		first := heap.Pop(&heads).(head)
		if err := emit(first.line); err != nil {
			return err
		}
		next(first.stream)
	}
	return nil
}

// head is the next line of a stream.
type head struct {
	line    Line
	stream  int
	arrived time.Time // in a window
}

// heads is a heap with the earliest line on top.
type heads []head

func (h heads) Len() int { return len(h) }

func (h heads) Less(i, j int) bool {
	if c := h[i].line.Time.Compare(h[j].line.Time); c != 0 {
		return c < 0
	}
	return h[i].stream < h[j].stream
}

func (h heads) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *heads) Push(x any) { *h = append(*h, x.(head)) }

// Pop implements heap.Interface.
func (h *heads) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// listed is a stream of lines that are in memory.
type listed struct{ lines []Line }

// Next implements Stream.
func (l *listed) Next() (Line, error) {
	if len(l.lines) == 0 {
		return Line{}, io.EOF
	}
	first := l.lines[0]
	l.lines = l.lines[1:]
	return first, nil
}
