package measurements

import (
	"encoding/json"
	"math"

	"github.com/kvbench/kvbench/internal/workload"
)

// JSONArray is the output of YCSB's JSONArrayMeasurementsExporter: one array of objects.
func (f *Figures) JSONArray(c *workload.Client) []byte { return appendJSONArray(nil, f.entries(c)) }

// JSONObjects is the output of YCSB's JSONMeasurementsExporter: one object after the other.
func (f *Figures) JSONObjects(c *workload.Client) []byte { return appendJSONObjects(nil, f.entries(c)) }

// appendJSONArray appends what YCSB's JSONArrayMeasurementsExporter writes.
func appendJSONArray(dst []byte, entries []entry) []byte {
	dst = append(dst, "[ "...)
	for i, e := range entries {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendObject(dst, e)
	}
	if len(entries) > 0 {
		dst = append(dst, ' ')
	}
	return append(dst, ']')
}

// appendJSONObjects appends what YCSB's JSONMeasurementsExporter writes.
func appendJSONObjects(dst []byte, entries []entry) []byte {
	for i, e := range entries {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = appendObject(dst, e)
	}
	return dst
}

func appendObject(dst []byte, e entry) []byte {
	dst = append(append(dst, "{\n  \"metric\" : "...), quoted(e.metric)...)
	dst = append(append(dst, ",\n  \"measurement\" : "...), quoted(e.measurement)...)
	value := formatValue(e.value)
	if x, ok := e.value.(float64); ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
		value = quoted(value) // JSON has no such numbers, and Jackson quotes them too
	}
	return append(append(append(dst, ",\n  \"value\" : "...), value...), "\n}"...)
}

func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // any string can be written
	}
	return string(b)
}
