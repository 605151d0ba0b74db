package bundle

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// The bins file is text: a header line, then a row for each bin touched since the last
// write. Rows of one bin are added up by the reader.
//
//	#kvbench-bins 2 start=<unix nanoseconds>
//	index,intended,failed,answered,unknown,neverStarted,limited,firstDone,completed,firstComplete,lastComplete,ok
//
// ok is `bucket:count` for each bucket of Bin.OK that is not 0, joined by `;`.
const binsHeader = "#kvbench-bins 2 start="

// Limits of a bins file: what is beyond is not ours.
const (
	// MaxBinIndex bounds a run to seven days.
	MaxBinIndex = 7 * 24 * 3600 * 1000 / BinMillis
	// maxBinCount bounds each number of a row, so that sums of rows cannot overflow.
	maxBinCount = 1 << 24 // 1.6 billion operations/s
	maxBinDone  = 1 << 40
	maxBinLine  = 4096
)

// AppendBinsHeader appends the first line of a bins file.
func AppendBinsHeader(dst []byte, startUnixNanos int64) []byte {
	dst = append(dst, binsHeader...)
	dst = strconv.AppendInt(dst, startUnixNanos, 10)
	return append(dst, '\n')
}

// AppendBin appends the bin's row.
func AppendBin(dst []byte, b *Bin) []byte {
	for _, n := range [...]int64{b.Index, b.Intended, b.Failed, b.Answered, b.Unknown, b.NeverStarted, b.Limited,
		b.FirstDoneMicros, b.Completed, b.FirstCompleteMicros, b.LastCompleteMicros} {
		dst = strconv.AppendInt(dst, n, 10)
		dst = append(dst, ',')
	}
	first := true
	for i, n := range b.OK {
		if n == 0 {
			continue
		}
		if !first {
			dst = append(dst, ';')
		}
		first = false
		dst = strconv.AppendInt(dst, int64(i), 10)
		dst = append(dst, ':')
		dst = strconv.AppendInt(dst, n, 10)
	}
	return append(dst, '\n')
}

// ReadBins reads a bins file, which may be hostile, and calls each for every row; the Bin
// is reused. It returns the start that the indexes count from. A last line without its
// newline was cut off while it was written or sent; it is an error.
func ReadBins(r io.Reader, each func(*Bin) error) (startUnixNanos int64, err error) {
	lines := bufio.NewReaderSize(r, maxBinLine)
	line, err := readLine(lines)
	if err != nil {
		return 0, fmt.Errorf("bins: header: %w", err)
	}
	number, ok := bytes.CutPrefix(line, []byte(binsHeader))
	if !ok {
		return 0, fmt.Errorf("bins: the file does not begin with %q", binsHeader)
	}
	startUnixNanos, err = strconv.ParseInt(string(number), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("bins: start in the header: %w", err)
	}
	var bin Bin
	for row := 2; ; row++ {
		line, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			return startUnixNanos, nil
		}
		if err == nil {
			err = ParseBin(line, &bin)
		}
		if err == nil {
			err = each(&bin)
		}
		if err != nil {
			return startUnixNanos, fmt.Errorf("bins: line %d: %w", row, err)
		}
	}
}

// readLine returns the next line without its newline; io.EOF only at a line's begin.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	switch {
	case err == nil:
		return line[:len(line)-1], nil
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, fmt.Errorf("longer than %d bytes", maxBinLine)
	case errors.Is(err, io.EOF) && len(line) > 0:
		return nil, io.ErrUnexpectedEOF
	}
	return nil, err
}

// ParseBin reads one row, without its newline, over b.
func ParseBin(line []byte, b *Bin) error {
	*b = Bin{}
	fields := [...]struct {
		name     string
		to       *int64
		min, max int64
	}{
		{"index", &b.Index, 0, MaxBinIndex},
		{"intended", &b.Intended, 0, maxBinCount},
		{"failed", &b.Failed, 0, maxBinCount},
		{"answered", &b.Answered, 0, maxBinCount},
		{"unknown", &b.Unknown, 0, maxBinCount},
		{"neverStarted", &b.NeverStarted, 0, maxBinCount},
		{"limited", &b.Limited, 0, maxBinCount},
		{"firstDone", &b.FirstDoneMicros, -1, maxBinDone},
		{"completed", &b.Completed, 0, maxBinCount},
		{"firstComplete", &b.FirstCompleteMicros, -1, BinMillis * 1000},
		{"lastComplete", &b.LastCompleteMicros, -1, BinMillis * 1000},
	}
	for _, f := range fields {
		number, rest, found := bytes.Cut(line, []byte{','})
		if !found {
			return fmt.Errorf("ends before %s", f.name)
		}
		line = rest
		if err := parseWithin(number, f.to, f.min, f.max); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	if b.Answered > b.Failed {
		return fmt.Errorf("answered: %d of %d failures", b.Answered, b.Failed)
	}
	if b.Completed > 0 && (b.FirstCompleteMicros < 0 || b.LastCompleteMicros < b.FirstCompleteMicros) {
		return fmt.Errorf("completed: %d from %d to %d", b.Completed, b.FirstCompleteMicros, b.LastCompleteMicros)
	}
	return parseOK(line, b)
}

func parseOK(line []byte, b *Bin) error {
	previous := int64(-1)
	for len(line) > 0 {
		var pair []byte
		pair, line, _ = bytes.Cut(line, []byte{';'})
		left, right, found := bytes.Cut(pair, []byte{':'})
		if !found {
			return fmt.Errorf("ok: %q is not bucket:count", pair)
		}
		var bucket, count int64
		if err := parseWithin(left, &bucket, previous+1, LateBuckets-1); err != nil {
			return fmt.Errorf("ok: bucket: %w", err)
		}
		if err := parseWithin(right, &count, 1, maxBinCount); err != nil {
			return fmt.Errorf("ok: count: %w", err)
		}
		b.OK[bucket] = count
		previous = bucket
	}
	return nil
}

func parseWithin(text []byte, to *int64, low, high int64) error {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return err
	}
	if n < low || n > high {
		return fmt.Errorf("%d is not from %d to %d", n, low, high)
	}
	*to = n
	return nil
}
