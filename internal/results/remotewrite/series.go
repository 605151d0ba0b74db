package remotewrite

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

type label struct{ Name, Value string }

type sample struct {
	Value  float64
	Millis int64 // since 1970
}

// series has samples in the order of their times.
type series struct {
	Labels  []label // in the order of their names
	Samples []sample
}

// stale tells Prometheus that a series has no value from then on. Without it, the last one would be shown for five minutes more.
func stale(millis int64) sample {
	const marker = 0x7ff0000000000002 // remote write 1.0
	return sample{Value: math.Float64frombits(marker), Millis: millis}
}

// ended is the series with its end, one step after the last one.
func (s series) ended(ends []int64) series {
	last := len(s.Samples) - 1
	if last < 0 || math.IsNaN(s.Samples[last].Value) {
		return s
	}
	after := int64(1000)
	if n := len(ends); n > 1 {
		after = ends[n-1] - ends[n-2]
	}
	s.Samples = append(s.Samples, stale(s.Samples[last].Millis+after))
	return s
}

// labelsOf are those that all series of a workload have.
func labelsOf(of *about, workload string) []label {
	return []label{
		{"run_namespace", text(of.Run.Namespace)}, {"run", text(of.Run.Name)}, {"run_uid", text(of.Run.UID)},
		{"kvbench_io_run", text(of.Run.ID)}, {"store", text(of.Store.Name)}, {"workload", text(workload)},
		{"valid", strconv.FormatBool(of.Valid)},
	}
}

// named are the labels of one series. A label without a value is none.
func named(of metric, own, more []label) []label {
	all := append(append([]label{{"__name__", of.Name}}, own...), more...)
	all = slices.DeleteFunc(all, func(l label) bool { return l.Value == "" })
	slices.SortFunc(all, func(a, b label) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// maxValue is as long as a name in Kubernetes can be, in bytes.
const maxValue = 253

// text bounds what a run says of itself, and leaves nothing in it that can't be printed.
func text(value string) string {
	value = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, value[:min(len(value), 4*maxValue)])
	for len(value) > maxValue {
		_, size := utf8.DecodeLastRuneInString(value)
		value = value[:len(value)-size]
	}
	return value
}
