package hazelcast

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// What a member tells its management centre are blobs, each of all its metrics at one moment:
// the format's version, a dictionary of words, and the metrics, whose names are of those words.
// Both are deflated, and say only what is new against the word or metric before. Numbers are
// big-endian. The format is that of com.hazelcast.internal.metrics.impl.MetricsCompressor.
const (
	metricsVersion = 1
	// maxInflated bounds either part of a blob; a member of one map has some 100 kB.
	maxInflated = 8 << 20

	samePrefix        = 1 << 0
	sameName          = 1 << 1
	sameDiscriminator = 1 << 2
	sameValue         = 1 << 3
	sameUnit          = 1 << 4
	sameTargets       = 1 << 5
	sameTagCount      = 1 << 6

	metricLong = 0
)

// metric is one with a number, such as that of prefix "os" and name "processCpuTime".
type metric struct {
	prefix, name                 string
	discriminator, discriminates string
	tags                         []tag // valid while it is visited
	value                        float64
}

type tag struct{ name, value string }

// tagged is the value of a tag, "" where there is none.
func (m *metric) tagged(name string) string {
	for _, t := range m.tags {
		if t.name == name {
			return t.value
		}
	}
	return ""
}

// decodeMetrics calls visit with each metric.
func decodeMetrics(blob []byte, visit func(metric)) error {
	if len(blob) < 6 || binary.BigEndian.Uint16(blob) != metricsVersion {
		return fmt.Errorf("%w: metrics of another version than %d", errProtocol, metricsVersion)
	}
	dictionary, rest := int64(binary.BigEndian.Uint32(blob[2:])), blob[6:]
	if dictionary+4 > int64(len(rest)) {
		return fmt.Errorf("%w: metrics whose dictionary is cut", errProtocol)
	}
	words, err := decodeWords(rest[:dictionary])
	if err != nil {
		return err
	}
	rest = rest[dictionary:]
	r, err := inflate(rest[4:])
	if err != nil {
		return err
	}
	var m metric
	for range binary.BigEndian.Uint32(rest) {
		if err := r.metric(words, &m); err != nil {
			return err
		}
		visit(m)
	}
	return nil
}

// decodeWords reads the dictionary: for each word its number, how many characters it has in
// common with the one before, how many follow, and those, of two bytes each.
func decodeWords(deflated []byte) (map[int32]string, error) {
	r, err := inflate(deflated)
	if err != nil {
		return nil, err
	}
	words := map[int32]string{}
	last, whole := []rune{}, 0
	for count := r.int32(); count > 0; count-- {
		id, common, more := r.int32(), int(r.byte()), int(r.byte())
		if r.failed || common > len(last) {
			return nil, errMetrics
		}
		last = last[:common]
		for range more {
			last = append(last, rune(r.uint16()))
		}
		if whole += len(last); r.failed || whole > maxInflated {
			return nil, errMetrics
		}
		words[id] = string(last)
	}
	return words, nil
}

var errMetrics = fmt.Errorf("%w: metrics that end early, or are too many", errProtocol)

// fields reads big-endian numbers; after the end they are 0, and it has failed.
type fields struct {
	rest   []byte
	failed bool
}

func inflate(deflated []byte) (*fields, error) {
	in, err := zlib.NewReader(bytes.NewReader(deflated))
	if err != nil {
		return nil, fmt.Errorf("%w: metrics: %w", errProtocol, err)
	}
	all, err := io.ReadAll(io.LimitReader(in, maxInflated))
	if err != nil {
		return nil, fmt.Errorf("%w: metrics: %w", errProtocol, err)
	}
	return &fields{rest: all}, nil
}

func (f *fields) take(n int) []byte {
	if len(f.rest) < n {
		f.failed = true
		f.rest = nil
		return make([]byte, n)
	}
	taken := f.rest[:n]
	f.rest = f.rest[n:]
	return taken
}

func (f *fields) byte() byte     { return f.take(1)[0] }
func (f *fields) uint16() uint16 { return binary.BigEndian.Uint16(f.take(2)) }
func (f *fields) int32() int32   { return int32(binary.BigEndian.Uint32(f.take(4))) }
func (f *fields) uint64() uint64 { return binary.BigEndian.Uint64(f.take(8)) }

// metric reads one over the last one.
func (f *fields) metric(words map[int32]string, m *metric) error {
	mask := f.byte()
	word := func(same byte, into *string) {
		if mask&same == 0 {
			*into = words[f.int32()] // -1 is none
		}
	}
	word(samePrefix, &m.prefix)
	word(sameName, &m.name)
	word(sameDiscriminator, &m.discriminator)
	word(sameValue, &m.discriminates)
	for _, same := range []byte{sameUnit, sameTargets} {
		if mask&same == 0 {
			f.byte()
		}
	}
	count := len(m.tags)
	if mask&sameTagCount == 0 {
		count = int(f.byte())
	}
	m.tags = m.tags[:0]
	for range count {
		m.tags = append(m.tags, tag{name: words[f.int32()], value: words[f.int32()]})
	}
	if f.byte() == metricLong {
		m.value = float64(int64(f.uint64()))
	} else {
		m.value = math.Float64frombits(f.uint64())
	}
	if f.failed {
		return errMetrics
	}
	return nil
}
