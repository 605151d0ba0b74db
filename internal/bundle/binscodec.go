package bundle

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/kvbench/kvbench/internal/stores"
)

// The bins file is text: a header line, then a row for each bin touched since the last
// write. Rows of one bin are added up by the reader.
//
//	#kvbench-bins 3 start=<unix nanoseconds>
//	index,intended,neverStarted,limited,completed,firstComplete,lastComplete[,<series>]...
//
// A series is `R1:4@2345;f2;a1;u3;5:1`: reads (kindLetters) on shard 1; of those intended in the bin 4 succeeded
// within LateBaseMicros, and the first answer came 2,345 µs after the bin's begin; 2 failed, of which the store
// answered 1; 3 are unknown; 1 success is in bucket 5 of Bin.OK. What is 0 is left out, but for the first number.
const binsHeader = "#kvbench-bins 3 start="

// kindLetters are the kinds of operation in the order of stores.Kind: READ, UPDATE, INSERT, SCAN,
// READ-MODIFY-WRITE, DELETE.
const kindLetters = "RUISMD"

// Limits of a bins file: what is beyond is not ours.
const (
	// MaxBinIndex bounds a run to seven days.
	MaxBinIndex = 7 * 24 * 3600 * 1000 / BinMillis
	// maxBinCount bounds each number of a row, so that sums of rows cannot overflow.
	maxBinCount = 1 << 24 // 1.6 billion operations/s
	maxBinDone  = 1 << 40
	// maxBinLine holds a few late buckets of all series. A worker's own row has few: what ended in one second
	// was about as late.
	maxBinLine = 1 << 16
)

// AppendBinsHeader appends the first line of a bins file.
func AppendBinsHeader(dst []byte, startUnixNanos int64) []byte {
	dst = append(dst, binsHeader...)
	dst = strconv.AppendInt(dst, startUnixNanos, 10)
	return append(dst, '\n')
}

// AppendBins appends the rows of bins that are in the order of CompareBins: those of one index are one row.
func AppendBins(dst []byte, bins []Bin) []byte {
	for from := 0; from < len(bins); {
		to := from + 1
		for to < len(bins) && bins[to].Index == bins[from].Index {
			to++
		}
		dst = appendRow(dst, bins[from:to])
		from = to
	}
	return dst
}

// CompareBins orders by index, and then by series.
func CompareBins(a, b Bin) int {
	if a.Index != b.Index {
		return int(a.Index - b.Index)
	}
	return int(a.Series) - int(b.Series)
}

func appendRow(dst []byte, bins []Bin) []byte {
	whole := NewBin(bins[0].Index)
	if bins[0].Series == 0 {
		whole, bins = bins[0], bins[1:]
	}
	for i, n := range [...]int64{whole.Index, whole.Intended, whole.NeverStarted, whole.Limited,
		whole.Completed, whole.FirstCompleteMicros, whole.LastCompleteMicros} {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, n, 10)
	}
	for i := range bins {
		dst = appendSeries(append(dst, ','), &bins[i])
	}
	return append(dst, '\n')
}

func appendSeries(dst []byte, b *Bin) []byte {
	dst = append(dst, kindLetters[b.Series.Kind()], '0'+b.Series.Shard(), ':')
	dst = strconv.AppendInt(dst, b.OK[0], 10)
	if b.FirstDoneMicros >= 0 {
		dst = strconv.AppendInt(append(dst, '@'), b.FirstDoneMicros, 10)
	}
	for _, of := range [...]struct {
		letter byte
		count  int64
	}{{'f', b.Failed}, {'a', b.Answered}, {'u', b.Unknown}} {
		if of.count != 0 {
			dst = strconv.AppendInt(append(dst, ';', of.letter), of.count, 10)
		}
	}
	for bucket, count := range b.OK {
		if bucket > 0 && count != 0 {
			dst = strconv.AppendInt(append(dst, ';'), int64(bucket), 10)
			dst = strconv.AppendInt(append(dst, ':'), count, 10)
		}
	}
	return dst
}

// ReadBins reads a bins file, which may be hostile, and calls each for every bin as a whole and for each of its
// series; the Bin is reused. It returns the start that the indexes count from. A last line without its
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
	b := new(Bin)
	for row := 2; ; row++ {
		line, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			return startUnixNanos, nil
		}
		if err == nil {
			err = ReadRow(line, b, each)
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

// ReadRow calls each for what a row, without its newline, says, as ReadBins does; b is for its use.
func ReadRow(line []byte, b *Bin, each func(*Bin) error) error {
	*b = NewBin(0)
	fields := [...]struct {
		name     string
		to       *int64
		min, max int64
	}{
		{"index", &b.Index, 0, MaxBinIndex},
		{"intended", &b.Intended, 0, maxBinCount},
		{"neverStarted", &b.NeverStarted, 0, maxBinCount},
		{"limited", &b.Limited, 0, maxBinCount},
		{"completed", &b.Completed, 0, maxBinCount},
		{"firstComplete", &b.FirstCompleteMicros, -1, BinMillis * 1000},
		{"lastComplete", &b.LastCompleteMicros, -1, BinMillis * 1000},
	}
	rest, more := line, true
	for _, f := range fields {
		if !more {
			return fmt.Errorf("ends before %s", f.name)
		}
		var number []byte
		number, rest, more = bytes.Cut(rest, []byte{','})
		if err := parseWithin(number, f.to, f.min, f.max); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	if b.Completed > 0 && (b.FirstCompleteMicros < 0 || b.LastCompleteMicros < b.FirstCompleteMicros) {
		return fmt.Errorf("completed: %d from %d to %d", b.Completed, b.FirstCompleteMicros, b.LastCompleteMicros)
	}
	if err := each(b); err != nil {
		return err
	}
	index, previous := b.Index, Series(0)
	for more {
		var text []byte
		text, rest, more = bytes.Cut(rest, []byte{','})
		*b = NewBin(index)
		if err := parseSeries(text, b); err != nil {
			return fmt.Errorf("series %.40q: %w", text, err)
		}
		if b.Series <= previous {
			return fmt.Errorf("series %.40q: out of order", text)
		}
		previous = b.Series
		if err := each(b); err != nil {
			return err
		}
	}
	return nil
}

// parseSeries reads one series of a row over b.
func parseSeries(text []byte, b *Bin) error {
	if len(text) < 4 || text[2] != ':' {
		return errors.New("is not kind, shard, colon and count")
	}
	kind, shard := bytes.IndexByte([]byte(kindLetters), text[0]), text[1]-'0'
	if kind < 0 || shard > stores.MaxShards {
		return errors.New("no such kind or shard")
	}
	b.Series = SeriesOf(stores.Kind(kind), shard)
	item, rest, more := bytes.Cut(text[3:], []byte{';'})
	count, done, answered := bytes.Cut(item, []byte{'@'})
	if err := parseWithin(count, &b.OK[0], 0, maxBinCount); err != nil {
		return err
	}
	if answered {
		if err := parseWithin(done, &b.FirstDoneMicros, 0, maxBinDone); err != nil {
			return fmt.Errorf("first answer: %w", err)
		}
	}
	for last := 0; more; {
		item, rest, more = bytes.Cut(rest, []byte{';'})
		to, order, number, err := b.item(item)
		if err != nil {
			return err
		}
		if order <= last {
			return fmt.Errorf("%q is out of order", item)
		}
		last = order
		if err := parseWithin(number, to, 1, maxBinCount); err != nil {
			return fmt.Errorf("%q: %w", item, err)
		}
	}
	if b.Answered > b.Failed {
		return fmt.Errorf("answered: %d of %d failures", b.Answered, b.Failed)
	}
	return nil
}

// outcomes that a series has items of, before those of buckets.
var outcomes = []byte("fau")

// item is which count of the Bin an item of a series is, its place among them, and its number.
func (b *Bin) item(item []byte) (to *int64, order int, number []byte, err error) {
	if len(item) > 0 {
		if i := slices.Index(outcomes, item[0]); i >= 0 {
			return [...]*int64{&b.Failed, &b.Answered, &b.Unknown}[i], 1 + i, item[1:], nil
		}
	}
	left, number, found := bytes.Cut(item, []byte{':'})
	var bucket int64
	if !found {
		return nil, 0, nil, fmt.Errorf("%q is not bucket:count", item)
	}
	if err := parseWithin(left, &bucket, 1, LateBuckets-1); err != nil {
		return nil, 0, nil, fmt.Errorf("bucket: %w", err)
	}
	return &b.OK[bucket], len(outcomes) + int(bucket), number, nil
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
