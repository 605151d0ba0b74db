package trace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// Bounds of a trace.
const (
	maxLine = 4 << 10
	maxKey  = 2 << 10
	maxSize = 50 << 20
	maxScan = 100_000
	maxRows = 50_000_000 // of a share: 1.2 GB and the keys
	maxTime = 24 * time.Hour
	// MaxStretch is the most by which times are stretched.
	MaxStretch = 1e6
)

// Read reads a share of a trace of lines "seconds,operation,key,size": the time with up to
// nine decimals, from any begin on, never falling; YCSB's name of the operation; the key,
// which may have commas; the bytes of a value to write, the records to scan, or nothing.
// Row i belongs to worker i mod workers. Empty lines, what begins with #, and a head
// "time,operation,key,size" are passed over. Errors begin with name and the line's number.
func Read(name string, from io.Reader, share Share) (*Trace, error) {
	if !(share.Stretch > 0 && share.Stretch <= MaxStretch) {
		return nil, fmt.Errorf("%s: its time can't be stretched by %g, only by more than 0 and up to %g", name, share.Stretch, MaxStretch)
	}
	r := reader{share: share, trace: &Trace{}}
	lines := bufio.NewReaderSize(from, maxLine)
	for number := 1; ; number++ {
		line, err := lines.ReadSlice('\n')
		last := errors.Is(err, io.EOF)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("%s:%d: longer than %d bytes", name, number, maxLine)
		case err != nil && !last:
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) > 0 && line[0] != '#' && (number > 1 || string(line) != "time,operation,key,size") {
			if err := r.add(line); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, number, err)
			}
		}
		if last {
			break
		}
	}
	if r.trace.whole.Rows == 0 {
		return nil, fmt.Errorf("%s: no line of \"time,operation,key,size\"", name)
	}
	return r.trace, nil
}

type reader struct {
	share       Share
	trace       *Trace
	first, last int64 // nanoseconds
	second, due int64 // the last row's, and how many are due in it
}

func (r *reader) add(line []byte) error {
	at, rest, ok := bytes.Cut(line, []byte{','})
	operation, rest, ok2 := bytes.Cut(rest, []byte{','})
	end := bytes.LastIndexByte(rest, ',')
	if !ok || !ok2 || end < 0 {
		return fmt.Errorf("%.80q is not \"time,operation,key,size\"", line)
	}
	nanos, err := parseNanos(at)
	if err != nil {
		return err
	}
	kind, ok := kindOf(operation)
	if !ok {
		return fmt.Errorf("no operation %.40q: use READ, UPDATE, INSERT, SCAN, READ-MODIFY-WRITE or DELETE", operation)
	}
	key := rest[:end]
	if len(key) == 0 || len(key) > maxKey {
		return fmt.Errorf("a key of %d bytes, not of 1 to %d", len(key), maxKey)
	}
	size, err := parseSize(kind, rest[end+1:])
	if err != nil {
		return err
	}
	if r.trace.whole.Rows == 0 {
		r.first = nanos
	} else if nanos < r.last {
		return fmt.Errorf("the time %s is before that of the row before", at)
	}
	r.last = nanos
	due := float64(nanos-r.first) * r.share.Stretch
	if due > float64(maxTime) {
		return fmt.Errorf("due %.0f s after the first row, and a run lasts %s at most", due/1e9, maxTime)
	}
	if !r.count(int64(due/1e9), kind, size) {
		return nil
	}
	if r.trace.length == maxRows {
		return fmt.Errorf("more than %d rows for one worker: use more workers", maxRows)
	}
	r.trace.add(time.Duration(math.Round(due)), kind, key, size)
	return nil
}

// count adds a row that is due in that second to what is known of all, and says whether the
// row is of the share.
func (r *reader) count(second int64, kind stores.Kind, size int64) (mine bool) {
	if second != r.second {
		r.second, r.due = second, 0
	}
	r.due++
	whole := &r.trace.whole
	whole.Busiest = max(whole.Busiest, r.due)
	if kind == stores.Update || kind == stores.Insert || kind == stores.ReadModifyWrite {
		whole.Largest = max(whole.Largest, size)
	}
	mine = whole.Rows%int64(r.share.Workers) == int64(r.share.Worker)
	whole.Rows++
	return mine
}

// parseNanos reads seconds with up to nine decimals. A float would lose the microseconds of
// a Unix time.
func parseNanos(text []byte) (int64, error) {
	whole, fraction, dot := bytes.Cut(bytes.TrimSpace(text), []byte{'.'})
	nanos, digits := int64(0), 0
	for _, part := range [...][]byte{whole, fraction} {
		for _, c := range part {
			if c < '0' || c > '9' {
				return 0, fmt.Errorf("%.40q is no time in seconds", text)
			}
			nanos = nanos*10 + int64(c-'0')
			digits++
		}
		if len(whole) == 0 || len(whole) > 9+1 || len(fraction) > 9 || dot && len(fraction) == 0 {
			return 0, fmt.Errorf("%.40q is no time in seconds of up to ten digits, with up to nine decimals", text)
		}
	}
	for range 9 - len(fraction) {
		nanos *= 10
	}
	if nanos < 0 || digits == 0 {
		return 0, fmt.Errorf("%.40q is no time in seconds", text)
	}
	return nanos, nil
}

func kindOf(name []byte) (stores.Kind, bool) {
	for kind := range stores.NumKinds {
		if string(name) == kind.String() {
			return kind, true
		}
	}
	return 0, false
}

// parseSize reads what only writes and scans need.
func parseSize(kind stores.Kind, text []byte) (int64, error) {
	if len(text) == 0 && (kind == stores.Read || kind == stores.Delete) {
		return 0, nil
	}
	least, most := int64(0), int64(maxSize)
	if kind == stores.Scan {
		least, most = 1, maxScan // to some stores 0 records are all
	}
	size, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || size < least || size > most {
		return 0, fmt.Errorf("%.40q is no size from %d to %d", text, least, most)
	}
	return size, nil
}
