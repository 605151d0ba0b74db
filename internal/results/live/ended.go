package live

import (
	"bytes"
	"errors"
	"io"
	"math"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/report/hlog"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/stores"
)

const (
	// mostLog is how much of each worker's interval log is read, in bytes: a few seconds.
	mostLog = 256 << 10
	// mostLogs bounds the histograms that one view decodes. A worker has a few each second, which take half a millisecond.
	mostLogs = 32
)

// endedOf is what ended in the newest second of the clock of which all workers have sent all rows. The histograms of all workers are
// merged, so the percentile is exact to three digits. It is nil where there are too many workers, and where a file's end doesn't tell.
func endedOf(names []string, workers int, now time.Time, read Reader) (*wire.LiveEnded, error) {
	if len(names) < workers || workers > mostLogs {
		return nil, nil
	}
	newest, logs := int64(math.MaxInt64), make([]intervalLog, 0, len(names))
	for _, name := range names {
		tail, err := read(name, mostLog)
		if err != nil {
			return nil, err
		}
		log, ok := readLog(tail)
		if !ok {
			return nil, nil
		}
		newest = min(newest, log.newest)
		logs = append(logs, log)
	}
	all := newEnds()
	for i := range logs {
		if newest < logs[i].first || logs[i].merge(newest, all) != nil {
			return nil, nil // nothing but a glance depends on it
		}
	}
	told := &wire.LiveEnded{AgeMillis: ageMillis(now, time.Unix(newest+1, 0)), Errors: all.errors}
	switch {
	case all.response.TotalCount() > 0:
		told.P99Micros, told.Response = histogram.Percentile(all.response, 99), true
	case all.service.TotalCount() > 0:
		told.P99Micros = histogram.Percentile(all.service, 99)
	}
	return told, nil
}

// ends are how operations ended: the latencies of successes, and the number of others.
type ends struct {
	response, service *hdr.PackedHistogram
	errors            int64
}

func newEnds() *ends { return &ends{response: histogram.New(), service: histogram.New()} }

// intervalLog is the end of a worker's interval log, without its comments: each row then has what ended in its second.
type intervalLog struct {
	rows []byte
	// newest is the last second of Unix time of which all rows are there, and first the first one.
	newest, first int64
}

// readLog reads the times of the rows. ok is false where there are none, or where a line is no row.
func readLog(tail Tail) (log intervalLog, ok bool) {
	wholeLines(tail.Text, func(line []byte) {
		if len(line) > 0 && line[0] == 'T' { // of Tag; others are comments, and the legend
			log.rows = append(append(log.rows, line...), '\n')
		}
	})
	seen := false
	err := log.each(func(_ *hlog.Reader, row hlog.Row) error {
		second := int64(row.At) / instant.NanosPerSecond
		if !seen {
			log.first = second
			if tail.Cut {
				log.first++
			}
		}
		// A worker writes all rows of a second at once, but they may be sent one after the other.
		log.newest, seen = max(log.newest, second-1), true
		return nil
	})
	return log, seen && err == nil
}

func (l *intervalLog) each(row func(*hlog.Reader, hlog.Row) error) error {
	reader := hlog.NewReader(bytes.NewReader(l.rows))
	for {
		next, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = row(reader, next)
		}
		if err != nil {
			return err
		}
	}
}

// merge adds what ended in the second.
func (l *intervalLog) merge(second int64, all *ends) error {
	return l.each(func(reader *hlog.Reader, row hlog.Row) error {
		if int64(row.At)/instant.NanosPerSecond != second || row.Lag || row.Part {
			return nil
		}
		success := row.Outcome == stores.OK.String()
		if row.Time == hlog.WaitTime || !success && row.Time != hlog.ServiceTime { // an operation has a row of each time
			return nil
		}
		h, err := reader.Histogram(row)
		switch {
		case err != nil:
			return err
		case !success:
			all.errors += h.TotalCount()
			return nil
		case row.Time == hlog.ResponseTime:
			return histogram.Merge(all.response, h)
		}
		return histogram.Merge(all.service, h)
	})
}
