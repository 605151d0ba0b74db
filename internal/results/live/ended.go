package live

import (
	"bytes"
	"errors"
	"io"
	"slices"

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

// ended is what ended in a second of Unix time. Its age is not told yet.
type ended struct {
	second int64
	told   wire.LiveEnded
}

// endedOf is what ended in the newest second of the clock of which all workers have sent all rows. The histograms of all workers are
// merged, so the percentile is exact to three digits. It is nil where there are too many workers, and where a file's end doesn't tell.
func endedOf(files []file, workers int, read Reader) (*ended, error) {
	if len(files) < workers || workers > mostLogs {
		return nil, nil
	}
	common, logs := newNewest(), make([]intervalLog, 0, len(files))
	for _, file := range files {
		tail, err := read(file.name, mostLog)
		if err != nil {
			return nil, err
		}
		log, ok := readLog(tail)
		quiet := file.quiet(0)
		didNothing := len(log.rows) == 0 && !tail.Cut && (file.ended || quiet >= 0)
		if !ok || len(log.rows) == 0 && !didNothing {
			return nil, nil
		}
		common.add(max(log.newest, quiet), file.ended)
		logs = append(logs, log)
	}
	told, err := endedIn(common.second(), logs)
	if err != nil {
		return nil, nil // nothing but a glance depends on it
	}
	return told, nil
}

// endedIn is what the logs have of the second; nil where they don't tell. Service times are decoded only where there are no response
// times.
func endedIn(second int64, logs []intervalLog) (*ended, error) {
	for i := range logs {
		if !logs[i].tells(second) {
			return nil, nil
		}
	}
	failures, err := sumOf(second, logs, func(row hlog.Row) bool { return !succeeded(row) && row.Time == hlog.ServiceTime })
	if err != nil {
		return nil, err
	}
	told := &ended{second: second, told: wire.LiveEnded{Errors: failures.TotalCount(), Response: true}}
	successes, err := sumOf(second, logs, func(row hlog.Row) bool { return succeeded(row) && row.Time == hlog.ResponseTime })
	if err == nil && successes.TotalCount() == 0 {
		told.told.Response = false
		successes, err = sumOf(second, logs, func(row hlog.Row) bool { return succeeded(row) && row.Time == hlog.ServiceTime })
	}
	if err == nil && successes.TotalCount() > 0 {
		told.told.P99Micros = histogram.Percentile(successes, 99)
	}
	return told, err
}

func succeeded(row hlog.Row) bool { return row.Outcome == stores.OK.String() }

// sumOf merges the histograms of those rows of the second that are wanted. An operation has a row of each time.
func sumOf(second int64, logs []intervalLog, wanted func(hlog.Row) bool) (*hdr.PackedHistogram, error) {
	sum := histogram.New()
	for i := range logs {
		for _, row := range logs[i].rows {
			if secondOf(row.At) != second || row.Lag || row.Part || !wanted(row) {
				continue
			}
			h, err := logs[i].reader.Histogram(row)
			if err == nil {
				err = histogram.Merge(sum, h)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return sum, nil
}

func secondOf(at instant.Unix) int64 { return int64(at) / instant.NanosPerSecond }

// intervalLog is the end of a worker's interval log, without its comments: each row then has what ended in its second.
type intervalLog struct {
	reader *hlog.Reader
	rows   []hlog.Row
	// newest is the last second of Unix time of which all rows are there, and first the first one.
	newest, first int64
}

// readLog reads the rows, and leaves their histograms as they are. ok is false where a line is no row.
func readLog(tail Tail) (log intervalLog, ok bool) {
	var rows bytes.Buffer
	wholeLines(tail.Text, func(line []byte) {
		if len(line) > 0 && line[0] == 'T' { // of Tag; others are comments, and the legend
			rows.Write(line)
			rows.WriteByte('\n')
		}
	})
	log.reader = hlog.NewReader(&rows)
	for {
		row, err := log.reader.Next()
		if errors.Is(err, io.EOF) {
			return log, true
		}
		if err != nil {
			return log, false
		}
		second := secondOf(row.At)
		if len(log.rows) == 0 {
			log.first = second
			if tail.Cut {
				log.first++
			}
		}
		// A worker writes all rows of a second at once, but they may be sent one after the other.
		log.newest = max(log.newest, second-1)
		log.rows = append(log.rows, row)
	}
}

// tells says that the rows have what ended in that second, and in no other one. A worker that was held up writes one row of many
// seconds.
func (l *intervalLog) tells(second int64) bool {
	begin, end := instant.Unix(second*instant.NanosPerSecond), instant.Unix((second+1)*instant.NanosPerSecond)
	return second >= l.first && !slices.ContainsFunc(l.rows, func(row hlog.Row) bool {
		return row.At < end && row.Until > begin && (row.At < begin || row.Until > end)
	})
}
