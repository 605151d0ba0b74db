package ycsb

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/stores"
)

// latencies tells the histograms of a measurement apart. YCSB has two outcomes: what
// failed for certain and what may have taken effect are one.
type latencies struct {
	operation string
	failed    bool
	response  bool // from the intended start; else from the send
}

// measured is what the files of one worker hold of the time after the warm-up.
type measured struct {
	histograms map[latencies]*hdr.PackedHistogram
	errors     []bundle.ErrorSeen // by operation and code, warm-up included
	finish     *bundle.Finish     // nil when the worker did not get to its end
	lastNanos  int64              // of its last line
}

// readMeasured reads a worker's files, as far as they were written. Rows of seconds before
// from, in Unix seconds, are the warm-up's.
func readMeasured(files fs.FS, w bundle.Writer, from int64) (*measured, error) {
	m := &measured{histograms: map[latencies]*hdr.PackedHistogram{}}
	log, err := files.Open(w.File(bundle.Hlog))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	err = report.ReadIntervals(log, func(in report.Interval) error {
		if in.Lag || in.UnixSeconds < from {
			return nil
		}
		return m.add(latencies{in.Operation, in.Outcome != stores.OK.String(), in.Response}, in.Histogram)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.File(bundle.Hlog), err)
	}
	return m, m.readLines(files, w.File(bundle.Jsonl))
}

func (m *measured) add(of latencies, h *hdr.PackedHistogram) error {
	sum := m.histograms[of]
	if sum == nil {
		sum = hdr.NewPacked(1, bundle.HistogramMaxMicros, bundle.HistogramDigits)
		m.histograms[of] = sum
	}
	if dropped := sum.Merge(h); dropped != 0 {
		return fmt.Errorf("merging histograms dropped %d values", dropped)
	}
	return nil
}

// readLines adds up what the worker says of itself.
func (m *measured) readLines(files fs.FS, name string) error {
	file, err := files.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var line bundle.SelfLine
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		m.lastNanos = line.AtUnixNanos
		for _, e := range line.Errors {
			m.addError(e)
		}
		if line.Finish != nil {
			m.finish = line.Finish
		}
	}
	return errors.Join(lines.Err())
}

func (m *measured) addError(seen bundle.ErrorSeen) {
	for i := range m.errors {
		if known := &m.errors[i]; known.Operation == seen.Operation && known.Code == seen.Code && known.Outcome == seen.Outcome {
			known.Count += seen.Count
			return
		}
	}
	m.errors = append(m.errors, seen)
}

// count is how many operations of the kind there are with that outcome.
func (m *measured) count(operation string, failed bool) int64 {
	h := m.histograms[latencies{operation: operation, failed: failed}]
	if h == nil {
		return 0
	}
	return h.TotalCount()
}

// mean is Java's HdrHistogram.getMean, NaN when empty: each value counts as the middle of
// those that it is not told from. The library's adds up in another order.
func mean(h *hdr.PackedHistogram) float64 {
	var sum float64
	h.ForEachBucket(func(value, count int64) bool {
		sum += (float64(value) + math.Floor(bucketWidth(value)/2)) * float64(count)
		return true
	})
	return sum / float64(h.TotalCount())
}

// bucketWidth is how many microseconds share the bucket that begins at value: with three
// digits, one below 2,048, and from there on twice as many from each power of two on.
func bucketWidth(value int64) float64 {
	width := 1.0
	for ; value >= 2048; value >>= 1 {
		width *= 2
	}
	return width
}
