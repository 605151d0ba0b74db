package hdrlog

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

const (
	maxUnixSecs = 1 << 33
	maxDigits   = 3
	maxLowest   = 1 << 20
	year        = 365 * 24 * 3600
)

// row is a line that has a histogram.
type row struct {
	tag     string
	seconds float64
	encoded string
}

// parseRow reads "Tag=READ,<begin s>,<length s>,<max>,<histogram>", whose tag may be missing.
func parseRow(line string) (row, error) {
	var r row
	if rest, is := strings.CutPrefix(line, "Tag="); is {
		r.tag, line, _ = strings.Cut(rest, ",")
	}
	fields := strings.Split(line, ",")
	if len(fields) != 4 {
		return r, errors.New("it is not begin, length, maximum and histogram")
	}
	var err error
	r.seconds, err = strconv.ParseFloat(fields[0], 64)
	if err != nil || !(r.seconds >= 0 && r.seconds < maxUnixSecs) {
		return r, fmt.Errorf("the begin %.40q is no number of seconds", fields[0])
	}
	r.encoded = fields[3]
	return r, nil
}

// times say when rows begin. A log has absolute times, or times from its begin, which comments name.
type times struct {
	start, base *float64
}

var comments = regexp.MustCompile(`^#\[(StartTime|BaseTime): ([0-9.]+)`)

func (t *times) comment(text string) error {
	parts := comments.FindStringSubmatch(text)
	if parts == nil {
		return nil
	}
	seconds, err := strconv.ParseFloat(parts[2], 64)
	if err != nil || !(seconds < maxUnixSecs) {
		return fmt.Errorf("%.60q has no number of seconds", text)
	}
	if parts[1] == "StartTime" {
		t.start = &seconds
	} else {
		t.base = &seconds
	}
	return nil
}

// begin is the time of a row that says this one, as HdrHistogram's own reader takes it: without a base, times that are more than a year before
// the start count from it. It isn't known where the log has neither.
func (t *times) begin(said float64) (seconds float64, known bool) {
	switch {
	case t.base != nil:
		said += *t.base
	case t.start != nil && said < *t.start-year:
		said += *t.start
	}
	return said, said > year
}

// decode decodes a histogram whose geometry costs little memory.
func decode(encoded string) (*hdr.PackedHistogram, error) {
	if err := checkGeometry(encoded); err != nil {
		return nil, fmt.Errorf("histogram: %w", err)
	}
	h, err := hdr.DecodePacked([]byte(encoded))
	if err != nil {
		return nil, fmt.Errorf("histogram: %w", err)
	}
	if h.TotalCount() == math.MaxInt64 {
		return nil, errors.New("histogram: too many values")
	}
	return h, nil
}

// checkGeometry looks at the header before anything is allocated for what it announces.
func checkGeometry(encoded string) error {
	compressed, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return err
	}
	if len(compressed) < 8 {
		return errors.New("too short")
	}
	if cookie := int32(binary.BigEndian.Uint32(compressed)) &^ 0xf0; cookie != hdr.V2CompressedEncodingCookieBase {
		return errors.New("only those of version 2, compressed, are taken")
	}
	inflater, err := zlib.NewReader(bytes.NewReader(compressed[8:]))
	if err != nil {
		return err
	}
	var header [hdr.ENCODING_HEADER_SIZE]byte
	if _, err := io.ReadFull(inflater, header[:]); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	digits, lowest := binary.BigEndian.Uint32(header[12:]), binary.BigEndian.Uint64(header[16:])
	if digits < 1 || digits > maxDigits || lowest > maxLowest {
		return fmt.Errorf("it has %d digits from %d on, and those with 1 to %d digits, from at most %d on, are taken", digits, lowest, maxDigits, maxLowest)
	}
	ratio := math.Float64frombits(binary.BigEndian.Uint64(header[32:]))
	if ratio != 1 && ratio != 0 {
		return fmt.Errorf("it is of fractions (ratio %g), and those of whole numbers are taken", ratio)
	}
	return nil
}
