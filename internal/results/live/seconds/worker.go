package seconds

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/hlog"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/stores"
)

const (
	// idleSeconds is for how long a worker that says that it runs may send no rows until it is taken for idle.
	idleSeconds = 5
	// mostRows bounds the rows of one worker in one second: more than there are kinds, outcomes and times.
	mostRows = 8 * int(stores.NumKinds) * int(stores.NumOutcomes)
	// mostErrors bounds the codes of one worker in one second.
	mostErrors = 64
	mostCode   = 100 // bytes
	never      = math.MaxInt64
)

// worker is what one worker has sent of seconds that aren't told yet.
type worker struct {
	index     int
	log, self file
	// rows are by the Unix second in which they begin, and of the worker's own condition by the same.
	rows  map[int64][]hlog.Row
	selfs map[int64]bundle.SelfSecond
	codes map[int64][]bundle.ErrorSeen
	// blurred are seconds of which it told together with others.
	blurred map[int64]bool
	// rowAt is when the newest row begins. begun is the newest second of which a row has come, and heard the newest that it told of
	// itself. quiet is what heard was when all rows were read that had come.
	rowAt, begun, heard, quiet int64
	pending                    int // bytes of rows
}

// file is how far one of its files is read.
type file struct {
	offset int64
	ended  bool // and read to its end
	broken bool // what follows can't be read
}

func newWorker(index int) *worker {
	return &worker{index: index, rows: map[int64][]hlog.Row{}, selfs: map[int64]bundle.SelfSecond{}, codes: map[int64][]bundle.ErrorSeen{},
		blurred: map[int64]bool{}, rowAt: -1, begun: -1, heard: -1, quiet: -1}
}

// whole is the newest second of which both files have all.
func (w *worker) whole() int64 {
	log := max(w.begun-1, w.quiet-idleSeconds)
	if w.log.ended || w.log.broken {
		log = never
	}
	self := w.heard
	if w.self.ended || w.self.broken {
		self = never
	}
	return min(log, self)
}

// last is the newest second that it has told anything of.
func (w *worker) last() int64 { return max(w.begun, w.heard) }

// misses says that it tells nothing of the second, or nothing of it alone.
func (w *worker) misses(second int64) bool {
	return w.blurred[second] || w.log.broken && second >= w.begun || w.self.broken && second > w.heard
}

func (w *worker) forget(second int64) {
	for _, row := range w.rows[second] {
		w.pending -= row.EncodedBytes()
	}
	delete(w.rows, second)
	delete(w.selfs, second)
	delete(w.codes, second)
	delete(w.blurred, second)
}

// takeLog takes whole lines of the interval log. No second is later than the last one, and no more bytes are kept than most.
func (w *worker) takeLog(lines []byte, last int64, most int) error {
	// Comments say what of a row was intended in another second. Here operations count where they ended.
	var rows bytes.Buffer
	for line := range bytes.Lines(lines) {
		if line[0] == 'T' { // of Tag
			rows.Write(line)
		}
	}
	log := hlog.NewReader(&rows)
	for {
		row, err := log.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		second := int64(row.At) / instant.NanosPerSecond
		through := max(second, int64(row.Until-1)/instant.NanosPerSecond)
		switch {
		case second < w.rowAt:
			return fmt.Errorf("a row of second %d after those of %d", second, w.rowAt)
		case through > last:
			return fmt.Errorf("a row of second %d, which is to come", through)
		}
		w.rowAt, w.begun = second, max(w.begun, through)
		switch {
		case through > second:
			w.blur(second, through)
		case w.pending+row.EncodedBytes() > most:
			return fmt.Errorf("more than %d bytes of rows of seconds that others have not told yet", most)
		case len(w.rows[second]) < mostRows:
			w.rows[second] = append(w.rows[second], row)
			w.pending += row.EncodedBytes()
		}
	}
}

// mostBlurred bounds the seconds of which one row or line tells together.
const mostBlurred = 600

// blur marks seconds that are told together.
func (w *worker) blur(from, to int64) {
	for second := from; second <= min(to, from+mostBlurred); second++ {
		w.blurred[second] = true
	}
}

// takeSelf takes whole lines of what the worker says of itself.
func (w *worker) takeSelf(lines []byte, last int64) error {
	for text := range bytes.Lines(lines) {
		var line bundle.SelfLine
		if err := json.Unmarshal(text, &line); err != nil {
			return err
		}
		if line.AtUnixNanos/instant.NanosPerSecond > last {
			return fmt.Errorf("a second that ends at %d, which is to come", line.AtUnixNanos)
		}
		if line.Second != nil {
			w.takeSecond(line.AtUnixNanos, line.Second)
		}
		// What didn't succeed in a second is told right after it.
		if n := len(w.codes[w.heard]); n < mostErrors && len(line.Errors) > 0 {
			w.codes[w.heard] = append(w.codes[w.heard], line.Errors[:min(len(line.Errors), mostErrors-n)]...)
		}
	}
	return nil
}

// takeSecond takes a second that ended a moment before the instant.
func (w *worker) takeSecond(atUnixNanos int64, told *bundle.SelfSecond) {
	length := min(max(0, told.LengthMicros), mostBlurred*1_000_000) * instant.NanosPerMicro
	const half = instant.NanosPerSecond / 2
	if length < 3*half {
		second := (atUnixNanos - length/2) / instant.NanosPerSecond
		w.selfs[second], w.heard = *told, max(w.heard, second)
		return
	}
	last := (atUnixNanos - half) / instant.NanosPerSecond
	w.blur((atUnixNanos-length+half)/instant.NanosPerSecond, last)
	w.heard = max(w.heard, last)
}
