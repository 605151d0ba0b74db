// Package hlog reads interval logs in HdrHistogram's format. A log comes from a pod, so it is hostile input. The
// library's reader takes any geometry and any length of line; this one takes the geometry of package histogram alone and
// bounds both, so that a row costs no more memory than a row that kvbench writes.
package hlog

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/histogram"
)

const (
	maxLogLine  = 256 << 10
	maxRowCount = 1 << 32 // operations of one row, so that sums don't overflow
)

// Reader reads an interval log (HdrHistogram log 1.3) row by row.
type Reader struct {
	lines    *bufio.Scanner
	number   int           // of the last line
	inflater io.ReadCloser // of headers; a new one for each row would take most of the time
	before   otherSeconds  // of the next row
}

// NewReader reads the log's lines as they are asked for.
func NewReader(r io.Reader) *Reader {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 16<<10), maxLogLine)
	return &Reader{lines: lines}
}

// Next is the next row, or io.EOF. Its histogram is not decoded yet.
func (l *Reader) Next() (Row, error) {
	for l.lines.Scan() {
		l.number++
		line, isComment := strings.CutPrefix(l.lines.Text(), bundle.ElsewherePrefix)
		if line == "" || line[0] == '#' || line[0] == '"' {
			continue // comments and the legend
		}
		row, err := l.row(line, isComment)
		if err != nil {
			return Row{}, l.At(err)
		}
		return row, nil
	}
	if err := l.lines.Err(); err != nil {
		return Row{}, fmt.Errorf("interval log: %w", err)
	}
	return Row{}, io.EOF
}

// row reads a line. A comment is kept for the row that follows.
func (l *Reader) row(line string, isComment bool) (Row, error) {
	row, err := parseRow(line)
	if err != nil {
		return row, err
	}
	if !isComment {
		row.otherSeconds, err = l.before.take(row)
		return row, err
	}
	h, err := l.Histogram(row)
	if err != nil {
		return row, err
	}
	return row, l.before.add(row, h)
}

// At says in which line an error was found.
func (l *Reader) At(err error) error {
	return fmt.Errorf("interval log: line %d: %w", l.number, err)
}

// Read calls each for every row of an interval log, with its histogram.
func Read(r io.Reader, each func(Row, *hdr.PackedHistogram) error) error {
	log := NewReader(r)
	for {
		row, err := log.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		h, err := log.Histogram(row)
		if err == nil {
			err = each(row, h)
		}
		if err != nil {
			return log.At(err)
		}
	}
}

// Histogram decodes a row's histogram, which must be of the one geometry that a bundle may
// hold.
func (l *Reader) Histogram(row Row) (*hdr.PackedHistogram, error) {
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
	if row.otherSeconds != nil {
		return histogram.Subtract(h, row.otherSeconds)
	}
	return h, nil
}

// checkGeometry looks at the header before anything is allocated for what it announces.
func (l *Reader) checkGeometry(encoded string) error {
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

func (l *Reader) inflate(data []byte) (err error) {
	if again, ok := l.inflater.(zlib.Resetter); ok {
		return again.Reset(bytes.NewReader(data), nil)
	}
	l.inflater, err = zlib.NewReader(bytes.NewReader(data))
	return err
}
