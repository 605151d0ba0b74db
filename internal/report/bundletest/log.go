package bundletest

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
)

// Logged is an interval log that the HdrHistogram library writes.
type Logged map[string]map[int64]*hdr.PackedHistogram

// Record adds an operation to a second.
func (l Logged) Record(unixSecond int64, tag string, micros int64) {
	l.RecordMany(unixSecond, tag, micros, 1)
}

// RecordMany adds operations to a second, all of one latency.
func (l Logged) RecordMany(unixSecond int64, tag string, micros, count int64) {
	if l[tag] == nil {
		l[tag] = map[int64]*hdr.PackedHistogram{}
	}
	h := l[tag][unixSecond]
	if h == nil {
		h = hdr.NewPacked(1, bundle.HistogramMaxMicros, bundle.HistogramDigits)
		h.SetTag(tag)
		h.SetStartTimeMs(unixSecond * 1000)
		h.SetEndTimeMs(unixSecond*1000 + 1000)
		l[tag][unixSecond] = h
	}
	if err := h.RecordValues(micros, count); err != nil {
		panic(err)
	}
}

// Operation is a read or an update, by turns; its service took 1 ms less than its response.
func (l Logged) Operation(unixSecond, at int64, a Answer, open bool) {
	tag := KindOf(at).String()
	switch {
	case a.Failed || a.Absent:
		tag += bundle.FailedSuffix
	case a.Unknown:
		tag += bundle.UnknownSuffix
	}
	l.Record(unixSecond, tag, max(a.Took-Millisecond, 0))
	if open {
		l.Record(unixSecond, bundle.IntendedPrefix+tag, a.Took)
		l.Record(unixSecond, bundle.WaitPrefix+tag, a.Took-max(a.Took-Millisecond, 0))
	}
}

// Bytes is the log as a file.
func (l Logged) Bytes(t *testing.T) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w := hdr.NewHistogramLogWriter(&buffer)
	if err := w.OutputLogFormatVersion(); err != nil {
		t.Fatal(err)
	}
	if err := w.OutputLegend(); err != nil {
		t.Fatal(err)
	}
	for _, tag := range slices.Sorted(maps.Keys(l)) {
		for _, unixSecond := range slices.Sorted(maps.Keys(l[tag])) {
			if err := w.OutputIntervalPackedHistogram(l[tag][unixSecond]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return buffer.Bytes()
}

// Encoded is the histogram as it stands in a row of a log.
func Encoded(t testing.TB, h *hdr.Histogram) string {
	t.Helper()
	text, err := h.Encode(hdr.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
