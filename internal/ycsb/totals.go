package ycsb

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/report/hlog"
	"github.com/kvbench/kvbench/internal/stores"
)

// latencies tells the histograms of a measurement apart. YCSB has two outcomes: what
// failed for certain and what may have taken effect are one.
type latencies struct {
	operation string
	status    string // "" of those that succeeded, anyFailure, or one that has its own
	response  bool   // from the intended start; else from the send
}

// anyFailure is the status of failures that have none of their own.
const anyFailure = "FAILED"

// name is YCSB's of the measurement.
func (l latencies) name() string {
	if l.status == "" {
		return l.operation
	}
	return l.operation + "-" + l.status
}

// measured is what the files of one worker hold of the time after the warm-up.
type measured struct {
	histograms map[latencies]*hdr.PackedHistogram
	lag        *hdr.PackedHistogram // of the sends of all operations, in an open loop
	errors     []bundle.ErrorSeen   // by operation and code, warm-up included
	counted    []bundle.ErrorSeen   // those of operations that ended after the warm-up
	unset      int64                // records that a read missed and that could not be set, warm-up included
	finish     *bundle.Finish       // nil when the worker did not get to its end
}

// readMeasured reads a worker's files, as far as they were written. Rows of seconds before
// from, in Unix seconds, are the warm-up's.
func readMeasured(files fs.FS, w bundle.Writer, from int64) (*measured, error) {
	m := &measured{histograms: map[latencies]*hdr.PackedHistogram{}, lag: histogram.New()}
	log, err := files.Open(w.File(bundle.Hlog))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	err = hlog.ReadIntervals(log, func(in hlog.Interval) error {
		if in.Part && !in.Response && in.Operation == stores.Insert.String() && in.Outcome != stores.OK.String() {
			m.unset += in.Histogram.TotalCount()
		}
		if in.UnixSeconds < from {
			return nil
		}
		if in.Lag {
			return histogram.Merge(m.lag, in.Histogram)
		}
		of := latencies{operation: in.Operation, response: in.Response}
		if in.Outcome != stores.OK.String() {
			of.status = anyFailure
		}
		return m.add(of, in.Histogram)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.File(bundle.Hlog), err)
	}
	return m, m.readLines(files, w.File(bundle.Jsonl), from)
}

func (m *measured) add(of latencies, h *hdr.PackedHistogram) error {
	sum := m.histograms[of]
	if sum == nil {
		sum = histogram.New()
		m.histograms[of] = sum
	}
	return histogram.Merge(sum, h)
}

// readLines adds up what the worker says of itself. Errors of a second that was over by
// from, in Unix seconds, are the warm-up's.
func (m *measured) readLines(files fs.FS, name string, from int64) error {
	file, err := files.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	var middle int64 // of the last second: its end may be a moment after the clock's
	for lines.Scan() {
		var line bundle.SelfLine
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if line.Second != nil {
			middle = line.AtUnixNanos - line.Second.LengthMicros*1000/2
		}
		for _, e := range line.Errors {
			m.errors = addError(m.errors, e)
			if middle >= from*int64(time.Second) {
				m.counted = addError(m.counted, e)
			}
		}
		if line.Finish != nil {
			m.finish = line.Finish
		}
	}
	return lines.Err()
}

func addError(all []bundle.ErrorSeen, seen bundle.ErrorSeen) []bundle.ErrorSeen {
	for i := range all {
		if known := &all[i]; known.Operation == seen.Operation && known.Code == seen.Code && known.Outcome == seen.Outcome {
			known.Count += seen.Count
			return all
		}
	}
	return append(all, seen)
}

// count is how many operations of the kind there are with that status.
func (m *measured) count(operation, status string) int64 {
	h := m.histograms[latencies{operation: operation, status: status}]
	if h == nil {
		return 0
	}
	return h.TotalCount()
}

// operations is how many there are of any kind and outcome, but for those that are parts of
// a read-modify-write.
func (m *measured) operations() (n int64) {
	for of, h := range m.histograms {
		switch {
		case of.response:
		case of.operation != stores.ReadModifyWrite.String():
			n += h.TotalCount()
		case of.status != "":
			// Counted by the read or the update that failed: one of them is too many if it
			// was the update.
		default:
			n -= h.TotalCount()
		}
	}
	return n
}
