package parse

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/kvbench/kvbench/internal/imported"
)

// maxRemarks bounds the remarks on what is left out.
const maxRemarks = 20

// k6JSON reads the file of --summary-export, or the data of handleSummary as JSON.
func k6JSON(content []byte) (*imported.Measured, error) {
	top, err := membersOf(content)
	if err != nil {
		return nil, err
	}
	var metrics []member
	var took *float64
	for _, t := range top {
		switch t.name {
		case "metrics":
			if metrics, err = nested(content, t); err != nil {
				return nil, err
			}
		case "state":
			if took, err = k6State(t.value); err != nil {
				return nil, fmt.Errorf("line %d: %w", t.line(content), err)
			}
		}
	}
	if metrics == nil {
		return nil, errors.New(`it has no member "metrics": it is no summary of k6, or one of --new-machine-readable-summary, which is not known; use --summary-export alone`)
	}
	k := &k6Metrics{counters: map[string]k6Counter{}, failed: map[string]*int64{}}
	var leftOut []string
	for _, metric := range metrics {
		unknown, err := k.addMember(metric)
		if err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", metric.line(content), quoted(metric.name), err)
		}
		if unknown && len(leftOut) < maxRemarks {
			leftOut = append(leftOut, fmt.Sprintf("The trend %s is left out: the file doesn't say its unit.", metric.name))
		}
	}
	m, err := k.measured()
	if err != nil {
		return nil, err
	}
	m.DurationMicros, m.Remarks = took, append(m.Remarks, leftOut...)
	return m, nil
}

// k6State is how long the test took.
func k6State(value json.RawMessage) (*float64, error) {
	var state struct {
		Millis json.Number `json:"testRunDurationMs"`
	}
	if err := json.Unmarshal(value, &state); err != nil {
		return nil, err
	}
	return optional(state.Millis)
}

// k6Values are a metric's values by name, and what the metric contains where the file tells.
func k6Values(value json.RawMessage) (values map[string]json.RawMessage, contains string, err error) {
	if err := json.Unmarshal(value, &values); err != nil {
		return nil, "", err
	}
	inner, has := values["values"]
	if !has {
		return values, "", nil
	}
	if err := json.Unmarshal(values["contains"], &contains); err != nil {
		return nil, "", err
	}
	values = nil
	return values, contains, json.Unmarshal(inner, &values)
}

// addMember takes a metric. Its times are in milliseconds. unknown says that it is a trend of nobody knows what.
func (k *k6Metrics) addMember(metric member) (unknown bool, err error) {
	values, contains, err := k6Values(metric.value)
	if err != nil {
		return false, err
	}
	get := func(name string) string { return string(bytes.TrimSpace(values[name])) }
	if metric.name == k6Dropped {
		return false, k.addCounter(metric.name, get("count"), get("rate"))
	}
	own := false
	for _, kind := range k6Kinds {
		switch metric.name {
		case kind.counter:
			return false, k.addCounter(metric.name, get("count"), get("rate"))
		case kind.failed:
			k.failed[metric.name], err = whole(get("passes"))
			return false, err
		case kind.trend:
			own = true
		}
	}
	if _, trend := values["avg"]; !own && !trend || k6Parts.MatchString(metric.name) && !own {
		return false, nil
	}
	if err := imported.CheckName(metric.name); err != nil {
		return false, err
	}
	switch {
	case bytes.ContainsRune([]byte(metric.name), '{'):
		return false, nil // a part of another metric
	case !own && contains == "":
		return true, nil
	case !own && contains != "time":
		return false, nil
	}
	t := k6Trend{name: metric.name, latency: imported.Latency{Time: imported.Service}}
	for name, value := range values {
		if name == "count" {
			t.count, err = whole(string(value))
		} else if at := statOf(&t.latency, name); at != nil {
			*at, err = scaled(string(bytes.TrimSpace(value)), fromMillis)
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", quoted(name), err)
		}
	}
	if t.latency.Empty() {
		return false, errors.New("it has no statistics")
	}
	if len(k.trends) == imported.MaxOperations {
		return false, errTooMany
	}
	k.trends = append(k.trends, t)
	return false, nil
}
