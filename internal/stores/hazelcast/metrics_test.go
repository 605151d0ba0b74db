package hazelcast

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"
)

func deflate(data []byte) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	if _, err := w.Write(data); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// dictionaryOf has each word whole, its number being its place.
func dictionaryOf(words ...string) []byte {
	data := binary.BigEndian.AppendUint32(nil, uint32(len(words)))
	last := ""
	for i, word := range words {
		common := 0
		for common < min(len(last), len(word)) && last[common] == word[common] {
			common++
		}
		data = binary.BigEndian.AppendUint32(data, uint32(i))
		data = append(data, byte(common), byte(len(word)-common))
		for _, char := range word[common:] {
			data = binary.BigEndian.AppendUint16(data, uint16(char))
		}
		last = word
	}
	return data
}

func blobOf(version uint16, words, metrics []byte, count uint32) []byte {
	packed := deflate(words)
	blob := binary.BigEndian.AppendUint16(nil, version)
	blob = binary.BigEndian.AppendUint32(blob, uint32(len(packed)))
	blob = append(blob, packed...)
	blob = binary.BigEndian.AppendUint32(blob, count)
	return append(blob, deflate(metrics)...)
}

// sampleBlob has processCpuTime of 3 s, a tagged metric, and two collectors' times.
func sampleBlob() []byte {
	words := dictionaryOf("gc", "majorTime", "minorTime", "os", "processCpuTime", "systemLoad", "tag", "value")
	ints := func(data []byte, values ...int32) []byte {
		for _, value := range values {
			data = binary.BigEndian.AppendUint32(data, uint32(value))
		}
		return data
	}
	long := func(data []byte, value uint64) []byte {
		return binary.BigEndian.AppendUint64(append(data, metricLong), value)
	}
	metrics := append(ints([]byte{0}, 3, 4, -1, -1), 1, 0, 0) // unit, targets, tags
	metrics = long(metrics, 3e9)
	metrics = append(ints(append(metrics, samePrefix|sameDiscriminator|sameValue|sameUnit|sameTargets), 5), 1)
	metrics = append(ints(metrics, 6, 7), 1)
	metrics = binary.BigEndian.AppendUint64(metrics, math.Float64bits(0.5))
	metrics = append(ints(append(metrics, sameDiscriminator|sameValue|sameUnit|sameTargets), 0, 2), 0)
	metrics = long(metrics, 20)
	metrics = long(ints(append(metrics, samePrefix|sameDiscriminator|sameValue|sameUnit|sameTargets|sameTagCount), 1), 30)
	return blobOf(metricsVersion, words, metrics, 4)
}

func TestMetricsAreThoseThatWereWritten(t *testing.T) {
	var got []metric
	var tags []string
	if err := decodeMetrics(sampleBlob(), func(m metric) {
		tags = append(tags, m.tagged("tag"))
		m.tags = nil
		got = append(got, m)
	}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(tags, []string{"", "value", "", ""}) {
		t.Errorf("tags %q", tags)
	}
	want := []metric{
		{prefix: "os", name: "processCpuTime", value: 3e9}, {prefix: "os", name: "systemLoad", value: 0.5},
		{prefix: "gc", name: "minorTime", value: 20}, {prefix: "gc", name: "majorTime", value: 30},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	_, used, err := readMetrics(sampleBlob())
	if err != nil || *used.CPUMicros != 3_000_000 || *used.CollectorMicros != 50_000 || used.ResidentBytes != nil {
		t.Errorf("%+v, %v", used, err)
	}
}

func TestMetricsThatAreNoneAreRefused(t *testing.T) {
	words := dictionaryOf("os")
	for name, blob := range map[string][]byte{
		"nothing":                {},
		"another version":        blobOf(2, words, nil, 0),
		"more than there are":    blobOf(metricsVersion, words, nil, 1),
		"a cut dictionary":       blobOf(metricsVersion, words[:len(words)-1], nil, 0),
		"not deflated":           {0, metricsVersion, 0, 0, 0, 2, 'h', 'i', 0, 0, 0, 0, 'h', 'o'},
		"a dictionary beyond it": {0, metricsVersion, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0},
		"a prefix beyond a word": blobOf(metricsVersion, []byte{0, 0, 0, 1, 0, 0, 0, 0, 9, 0}, nil, 0),
	} {
		if err := decodeMetrics(blob, func(metric) {}); !errors.Is(err, errProtocol) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzMetrics(f *testing.F) {
	f.Add(sampleBlob(), dictionaryOf("os"), []byte{0})
	f.Fuzz(func(t *testing.T, blob, words, metrics []byte) {
		_ = decodeMetrics(blob, func(metric) {})
		// What is in the deflated parts a fuzzer doesn't reach through the blob.
		_ = decodeMetrics(blobOf(metricsVersion, words, metrics, 3), func(metric) {})
	})
}
