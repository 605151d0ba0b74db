package record

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/kvbench/kvbench/internal/bundle"
)

// Cookies of HdrHistogram's V2 encoding.
const (
	cookieV2           = 0x1c849303 | 0x10
	cookieV2Compressed = 0x1c849304 | 0x10
)

// encoder writes histograms in HdrHistogram's compressed V2 encoding, base64. It keeps
// its compressor: a new one takes a megabyte for every row.
type encoder struct {
	counts []byte
	plain  []byte
	packed bytes.Buffer
	zip    *zlib.Writer
}

func newEncoder() *encoder {
	e := &encoder{}
	e.zip = zlib.NewWriter(&e.packed)
	return e
}

// append appends the encoded histogram to dst.
func (e *encoder) append(dst []byte, h *Histogram) ([]byte, error) {
	e.counts = appendCounts(e.counts[:0], h)
	e.plain = binary.BigEndian.AppendUint32(e.plain[:0], cookieV2)
	e.plain = binary.BigEndian.AppendUint32(e.plain, uint32(len(e.counts)))
	e.plain = binary.BigEndian.AppendUint32(e.plain, 0) // normalizing offset
	e.plain = binary.BigEndian.AppendUint32(e.plain, bundle.HistogramDigits)
	e.plain = binary.BigEndian.AppendUint64(e.plain, 1)
	e.plain = binary.BigEndian.AppendUint64(e.plain, bundle.HistogramMaxMicros)
	e.plain = binary.BigEndian.AppendUint64(e.plain, math.Float64bits(1)) // conversion ratio
	e.plain = append(e.plain, e.counts...)

	e.packed.Reset()
	e.packed.Write(make([]byte, 8)) // cookie and length, filled in below
	e.zip.Reset(&e.packed)
	if _, err := e.zip.Write(e.plain); err != nil {
		return dst, fmt.Errorf("compress a histogram: %w", err)
	}
	if err := e.zip.Close(); err != nil {
		return dst, fmt.Errorf("compress a histogram: %w", err)
	}
	packed := e.packed.Bytes()
	binary.BigEndian.PutUint32(packed, cookieV2Compressed)
	binary.BigEndian.PutUint32(packed[4:], uint32(len(packed)-8))
	return base64.StdEncoding.AppendEncode(dst, packed), nil
}

// appendCounts appends the counts up to the last that is not 0, as zig-zag LEB128, which
// is Go's varint for counts below 2^55; a negative number is a run of zeros.
func appendCounts(dst []byte, h *Histogram) []byte {
	next := 0
	for i, page := range h.pages {
		if page == nil {
			continue
		}
		for j, n := range page {
			if n == 0 {
				continue
			}
			slot := i<<halfBits + j
			switch zeros := slot - next; {
			case zeros == 1:
				dst = binary.AppendVarint(dst, 0)
			case zeros > 1:
				dst = binary.AppendVarint(dst, -int64(zeros))
			}
			dst = binary.AppendVarint(dst, int64(n))
			next = slot + 1
		}
	}
	return dst
}
