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
	"unicode/utf8"

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

// form is what a row looks like.
const form = "time,operation,key,size"

// Read reads a share of a trace of lines "seconds,operation,key,size", in UTF-8: the time with
// up to nine decimals, from any begin on, never falling; YCSB's name of the operation; the key,
// which may have commas; the bytes of a value to write, the records to scan, or nothing.
// Row i belongs to worker i mod workers. Empty lines, what begins with #, and a head
// "time,operation,key,size" are passed over. Errors begin with name and the line's number, and
// quote what is in the line.
func Read(name string, from io.Reader, share Share) (*Trace, error) {
	r := reader{share: share, trace: &Trace{share: share}, keeps: true}
	if err := r.read(name, from); err != nil {
		return nil, err
	}
	return r.trace, nil
}

// Summarize reads a trace as Read does, and keeps none of its rows.
func Summarize(name string, from io.Reader, share Share) (Summary, error) {
	r := reader{share: share, trace: &Trace{share: share}}
	if err := r.read(name, from); err != nil {
		return Summary{}, err
	}
	return r.trace.whole, nil
}

type reader struct {
	share       Share
	trace       *Trace
	keeps       bool  // the share's rows
	first, last int64 // nanoseconds
	second, due int64 // the last row's, and how many are due in it
}

func (r *reader) read(name string, from io.Reader) error {
	if !(r.share.Stretch > 0 && r.share.Stretch <= MaxStretch) {
		return fmt.Errorf("%s: its time can't be stretched by %g, only by more than 0 and up to %g", name, r.share.Stretch, MaxStretch)
	}
	lines := bufio.NewReaderSize(from, maxLine)
	for number := 1; ; number++ {
		line, err := lines.ReadSlice('\n')
		last := errors.Is(err, io.EOF)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return fmt.Errorf("%s:%d: longer than %d bytes", name, number, maxLine)
		case err != nil && !last:
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
		line = bytes.TrimRight(line, "\r\n")
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff")) // a byte-order mark
		}
		if len(line) > 0 && line[0] != '#' && (number > 1 || string(line) != form) {
			if err := r.add(line); err != nil {
				return fmt.Errorf("%s:%d: %w", name, number, err)
			}
		}
		if last {
			break
		}
	}
	if r.trace.whole.Rows == 0 {
		return fmt.Errorf("%s: no line of the form %s", name, form)
	}
	return nil
}

func (r *reader) add(line []byte) error {
	if !utf8.Valid(line) {
		return errors.New("no UTF-8")
	}
	seconds, rest, ok := bytes.Cut(line, []byte{','})
	operation, rest, ok2 := bytes.Cut(rest, []byte{','})
	end := bytes.LastIndexByte(rest, ',')
	if !ok || !ok2 || end < 0 {
		return fmt.Errorf("%.80q is not of the form %s", line, form)
	}
	nanos, err := parseNanos(seconds)
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
		return fmt.Errorf("the time %s is before that of the row before", seconds)
	}
	r.last = nanos
	due := float64(nanos-r.first) * r.share.Stretch
	if due > float64(maxTime) {
		return fmt.Errorf("due %.0f s after the first row, and a run lasts %s at most", due/1e9, maxTime)
	}
	at := time.Duration(math.Round(due))
	if mine := r.count(at, kind, size); !mine || !r.keeps {
		return nil
	}
	if r.trace.length == maxRows {
		return fmt.Errorf("more than %d rows for one worker: use more workers", maxRows)
	}
	r.trace.add(at, kind, key, size)
	return nil
}

// count adds a row that is due then to what is known of all, and says whether the row is of
// the share.
func (r *reader) count(at time.Duration, kind stores.Kind, size int64) (mine bool) {
	if second := int64(at / time.Second); second != r.second {
		r.second, r.due = second, 0
	}
	r.due++
	whole := &r.trace.whole
	whole.Last = at
	whole.Busiest = max(whole.Busiest, r.due)
	if at >= r.share.Warmup {
		whole.Measured++
	}
	if r.share.Operations == 0 || whole.Measured <= r.share.Operations {
		whole.LastUsed = at
	}
	if kind == stores.Scan {
		whole.Scans++
	}
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
