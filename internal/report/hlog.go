package report

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
)

// The log comes from a pod, so it is hostile input. The library's reader takes any
// geometry and any length of line; this one takes ours alone and bounds both, so a row
// costs no more memory than a row that we write.
const (
	maxLogLine  = 256 << 10
	maxUnixSecs = 1 << 34 // the year 2514
	maxRowCount = 1 << 32 // operations of one row, so that sums don't overflow
)

// logRow is what an interval log has of one second: the latencies of operations of one kind with
// one outcome that were intended in it, or the lags of their sends.
type logRow struct {
	atNanos   int64 // the second's begin, Unix time
	lag       bool  // and then neither operation nor outcome
	operation string
	outcome   string
	time      timeOf
	part      bool // of parts of other operations
	encoded   string
	elsewhere *hdr.PackedHistogram // what of encoded is not of this second; nil for nothing
}

// timeOf says which time of the operations a row holds.
type timeOf int

const (
	serviceTime  timeOf = iota // from the send
	responseTime               // from the intended start
	waitTime                   // from the intended start to the send
)

// logReader reads an interval log (HdrHistogram log 1.3) row by row.
type logReader struct {
	lines    *bufio.Scanner
	number   int           // of the last line
	inflater io.ReadCloser // of headers; a new one for each row would take most of the time
	before   elsewhere     // of the next row
}

func newLogReader(r io.Reader) *logReader {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 16<<10), maxLogLine)
	return &logReader{lines: lines}
}

// next is the next row, or io.EOF. Its histogram is not looked at yet.
func (l *logReader) next() (logRow, error) {
	for l.lines.Scan() {
		l.number++
		line, isElsewhere := strings.CutPrefix(l.lines.Text(), bundle.ElsewherePrefix)
		if line == "" || line[0] == '#' || line[0] == '"' {
			continue // comments and the legend
		}
		row, err := l.row(line, isElsewhere)
		if err != nil {
			return logRow{}, l.at(err)
		}
		return row, nil
	}
	if err := l.lines.Err(); err != nil {
		return logRow{}, fmt.Errorf("interval log: %w", err)
	}
	return logRow{}, io.EOF
}

// row is that of a line; isElsewhere says that it is a part of the next row that is none.
func (l *logReader) row(line string, isElsewhere bool) (logRow, error) {
	row, err := parseLogRow(line)
	if err != nil {
		return row, err
	}
	if !isElsewhere {
		row.elsewhere, err = l.before.take(row)
		return row, err
	}
	h, err := l.histogram(row)
	if err != nil {
		return row, err
	}
	return row, l.before.add(row, h)
}

// at says in which line an error was found.
func (l *logReader) at(err error) error {
	return fmt.Errorf("interval log: line %d: %w", l.number, err)
}

func newHistogram() *hdr.PackedHistogram {
	return hdr.NewPacked(1, bundle.HistogramMaxMicros, bundle.HistogramDigits)
}

// readLog calls each for every row of an interval log, with its histogram.
func readLog(r io.Reader, each func(logRow, *hdr.PackedHistogram) error) error {
	log := newLogReader(r)
	for {
		row, err := log.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		h, err := log.histogram(row)
		if err == nil {
			err = each(row, h)
		}
		if err != nil {
			return log.at(err)
		}
	}
}

// parseLogRow reads "Tag=READ,<begin s>,<length s>,<max>,<histogram>".
func parseLogRow(line string) (logRow, error) {
	fields := strings.Split(line, ",")
	if len(fields) != 5 || !strings.HasPrefix(fields[0], "Tag=") {
		return logRow{}, errors.New("is not tag, begin, length, maximum and histogram")
	}
	row, err := parseTag(strings.TrimPrefix(fields[0], "Tag="))
	if err != nil {
		return logRow{}, err
	}
	begin, err := strconv.ParseFloat(fields[1], 64)
	if err != nil || !(begin >= 0 && begin < maxUnixSecs) {
		return logRow{}, fmt.Errorf("begin %q is not a Unix time in seconds", fields[1])
	}
	row.atNanos = int64(begin) * second
	row.encoded = fields[4]
	return row, nil
}

func parseTag(tag string) (logRow, error) {
	if tag == bundle.LagTag {
		return logRow{lag: true}, nil
	}
	row := logRow{outcome: stores.OK.String()}
	operation := tag
	if cut, ok := strings.CutPrefix(tag, bundle.IntendedPrefix); ok {
		operation, row.time = cut, responseTime
	} else if cut, ok := strings.CutPrefix(tag, bundle.WaitPrefix); ok {
		operation, row.time = cut, waitTime
	}
	if row.time != waitTime {
		operation, row.part = strings.CutPrefix(operation, bundle.PartPrefix)
	}
	if cut, ok := strings.CutSuffix(operation, bundle.FailedSuffix); ok {
		operation, row.outcome = cut, stores.Failed.String()
	} else if cut, ok := strings.CutSuffix(operation, bundle.UnknownSuffix); ok {
		operation, row.outcome = cut, stores.Unknown.String()
	}
	for kind := range stores.NumKinds {
		if kind.String() == operation {
			row.operation = operation
			return row, nil
		}
	}
	return row, fmt.Errorf("tag %q names no operation", tag)
}

// histogram decodes a row's histogram, which must be of the one geometry that a bundle may
// hold.
func (l *logReader) histogram(row logRow) (*hdr.PackedHistogram, error) {
	if err := l.checkGeometry(row.encoded); err != nil {
		return nil, err
	}
	h, err := hdr.DecodePacked([]byte(row.encoded))
	if err != nil {
		return nil, fmt.Errorf("histogram: %w", err)
	}
	if h.TotalCount() > maxRowCount {
		return nil, fmt.Errorf("histogram: %d values in one row", h.TotalCount())
	}
	if row.elsewhere != nil {
		return without(h, row.elsewhere)
	}
	return h, nil
}

// checkGeometry looks at the header before anything is allocated for what it announces.
func (l *logReader) checkGeometry(encoded string) error {
	compressed, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return fmt.Errorf("histogram: %w", err)
	}
	if len(compressed) < 8 {
		return errors.New("histogram: too short")
	}
	if err := l.inflate(compressed[8:]); err != nil {
		return fmt.Errorf("histogram: %w", err)
	}
	var header [hdr.ENCODING_HEADER_SIZE]byte
	if _, err := io.ReadFull(l.inflater, header[:]); err != nil {
		return fmt.Errorf("histogram: header: %w", err)
	}
	digits := binary.BigEndian.Uint32(header[12:])
	low, high := binary.BigEndian.Uint64(header[16:]), binary.BigEndian.Uint64(header[24:])
	if digits != bundle.HistogramDigits || low != 1 || high != bundle.HistogramMaxMicros {
		return fmt.Errorf("histogram: geometry %d to %d with %d digits, not 1 to %d with %d",
			low, high, digits, bundle.HistogramMaxMicros, bundle.HistogramDigits)
	}
	return nil
}

func (l *logReader) inflate(data []byte) (err error) {
	if again, ok := l.inflater.(zlib.Resetter); ok {
		return again.Reset(bytes.NewReader(data), nil)
	}
	l.inflater, err = zlib.NewReader(bytes.NewReader(data))
	return err
}

// merge adds from to into. Equal geometries lose nothing; a value that is lost all the
// same would make every percentile a lie, so it is an error.
func merge(into, from *hdr.PackedHistogram) error {
	if dropped := into.Merge(from); dropped != 0 {
		return fmt.Errorf("merging histograms dropped %d values", dropped)
	}
	return nil
}

// latency sums up a histogram; nil for an empty one.
func latency(h *hdr.PackedHistogram) *Latency {
	if h == nil || h.TotalCount() == 0 {
		return nil
	}
	at := Percentiles(h, 50, 95, 99, 99.9)
	return &Latency{
		P50Micros:  at[0],
		P95Micros:  at[1],
		P99Micros:  at[2],
		P999Micros: at[3],
		MaxMicros:  h.Max(),
		MeanMicros: int64(math.Round(h.Mean())),
	}
}
