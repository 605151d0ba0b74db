package parse

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/imported"
)

// k6Metrics are what k6's output has of the metrics that count.
type k6Metrics struct {
	trends   []k6Trend
	counters map[string]k6Counter
	failed   map[string]*int64 // by the name of a rate, how often it was true
}

// k6Trend is a metric of durations.
type k6Trend struct {
	name    string
	count   *int64 // nil unless it was asked for
	latency imported.Latency
}

type k6Counter struct{ count, rate *float64 }

// k6Kind is a kind of operation that k6 measures by itself, with the metrics that belong to it.
type k6Kind struct{ operation, trend, counter, failed string }

var k6Kinds = []k6Kind{
	{"http_req", "http_req_duration", "http_reqs", "http_req_failed"},
	{"grpc_req", "grpc_req_duration", "", ""},
	{"iteration", "iteration_duration", "iterations", ""},
}

// k6Dropped counts the iterations that k6 was to start, and had nobody free for.
const k6Dropped = "dropped_iterations"

// k6Parts are k6's own trends that are no operations, but parts or groups of some.
var k6Parts = regexp.MustCompile(`^(http_req_|grpc_|ws_|group_duration$|browser_|iteration_)`)

// measured joins the metrics of each operation. Trends that the user's script defined are operations too.
func (k *k6Metrics) measured() (*imported.Measured, error) {
	m := &imported.Measured{NotKnown: []imported.NotKnown{imported.Validity, imported.IntendedRate, imported.WarmUp}}
	for _, t := range k.trends {
		at := slices.IndexFunc(k6Kinds, func(kind k6Kind) bool { return kind.trend == t.name })
		if at < 0 && k6Parts.MatchString(t.name) {
			continue
		}
		if err := imported.CheckName(t.name); err != nil {
			return nil, err
		}
		o := imported.Operation{Operation: t.name, Count: t.count}
		if at >= 0 {
			k.complete(&o, k6Kinds[at])
		}
		if t.name == "iteration_duration" && k.has("http_req_duration") {
			o.Role = imported.Frame
		}
		if !t.latency.Empty() {
			o.Latencies = []imported.Latency{t.latency}
		}
		m.Operations = append(m.Operations, o)
	}
	for _, kind := range k6Kinds {
		if c, is := k.counters[kind.counter]; is && m.Throughput == nil {
			m.Throughput = c.rate
			m.Remarks = append(m.Remarks, "The throughput is that of "+kind.counter+".")
		}
	}
	if slices.ContainsFunc(m.Operations, func(o imported.Operation) bool { return o.Errors == nil && o.Role != imported.Frame }) {
		m.NotKnown = append(m.NotKnown, imported.ErrorCount)
	}
	if n := k.failed["http_req_failed"]; n != nil && *n > 0 {
		m.Remarks = append(m.Remarks, fmt.Sprintf("The throughput and the latencies of http_req hold the %d requests that failed.", *n))
	}
	if c := k.counters[k6Dropped]; c.count != nil && *c.count > 0 {
		m.Remarks = append(m.Remarks, fmt.Sprintf("k6 dropped %.0f iterations: it had no virtual user free to start them. The figures lack them.", *c.count))
	}
	return m, nil
}

func (k *k6Metrics) has(trend string) bool {
	return slices.ContainsFunc(k.trends, func(t k6Trend) bool { return t.name == trend })
}

// complete adds what other metrics say of the operation.
func (k *k6Metrics) complete(o *imported.Operation, kind k6Kind) {
	o.Operation = kind.operation
	if c, is := k.counters[kind.counter]; is {
		o.Throughput = c.rate
		if c.count != nil && o.Count == nil {
			n := int64(*c.count)
			o.Count = &n
		}
	}
	o.Errors = k.failed[kind.failed]
}

// statOf is where a trend's statistic belongs; nil for one that documents don't have.
func statOf(l *imported.Latency, name string) **float64 {
	switch name {
	case "avg":
		return &l.MeanMicros
	case "med":
		return &l.P50Micros
	case "max":
		return &l.MaxMicros
	}
	inner, is := strings.CutPrefix(name, "p(")
	if !is {
		return nil
	}
	p, ok := percentile(strings.TrimSuffix(inner, ")"))
	if !ok {
		return nil
	}
	return l.At(p)
}
