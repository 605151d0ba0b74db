package parse

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/kvbench/kvbench/internal/imported"
)

// memtierResults are the members of memtier's JSON that have results, the best one first.
var memtierResults = regexp.MustCompile(`^(?:ALL STATS|AGGREGATED AVERAGE RESULTS \([0-9]+ runs\))$`)

// maxUnixMillis is the end of the year 9999, behind which RFC 3339 has no times.
const maxUnixMillis = 253_402_300_799_999

// memtierStats is what memtier's JSON has of one kind of operation. Latencies are in milliseconds.
type memtierStats struct {
	Count       json.Number                `json:"Count"`
	OpsPerSec   json.Number                `json:"Ops/sec"`
	Misses      json.Number                `json:"Misses/sec"`
	Average     json.Number                `json:"Average Latency"`
	Latency     json.Number                `json:"Latency"` // the older name
	Max         json.Number                `json:"Max Latency"`
	Percentiles map[string]json.RawMessage `json:"Percentile Latencies"`
}

// memtierRuntime is when a run was. Times are in milliseconds.
type memtierRuntime struct {
	Start       json.Number `json:"Start time"`
	Total       json.Number `json:"Total duration"`
	Unit        string      `json:"Time unit"`
	Interrupted string      `json:"Interrupted"`
}

// memtierJSON reads the file of --json-out-file.
func memtierJSON(content []byte) (*imported.Measured, error) {
	members, err := membersOf(content)
	if err != nil {
		return nil, err
	}
	m := &imported.Measured{NotKnown: memtierNotKnown()}
	var results []member
	for _, top := range members {
		if !memtierResults.MatchString(top.name) {
			continue
		}
		if results != nil {
			return nil, fmt.Errorf("line %d: %s are a second set of results: import the output of one run at a time", top.line(content), top.name)
		}
		if top.name != "ALL STATS" {
			m.Remarks = append(m.Remarks, "The figures are memtier's average of several runs.")
		}
		if results, err = nested(content, top); err != nil {
			return nil, err
		}
	}
	if results == nil {
		return nil, errors.New(`it has no member "ALL STATS": it is no JSON of memtier_benchmark, or that of a run without results`)
	}
	complete := false
	for _, r := range results {
		done, err := memtierMember(m, r)
		if err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", r.line(content), quoted(r.name), err)
		}
		complete = complete || done
	}
	if !complete {
		return nil, fmt.Errorf("its results have no member %s: the file is cut off", memtierTotals)
	}
	return m, nil
}

// memtierMember takes one member of the results. totals says that it was the last one with figures.
func memtierMember(m *imported.Measured, r member) (totals bool, err error) {
	if r.name == "Runtime" {
		return false, memtierTimes(m, r.value)
	}
	if r.value[0] != '{' {
		return false, nil // a distribution
	}
	var stats memtierStats
	if err := json.Unmarshal(r.value, &stats); err != nil {
		return false, err
	}
	if stats.OpsPerSec == "" {
		return false, nil // something else
	}
	o, err := stats.operation(r.name)
	switch {
	case err != nil:
		return false, err
	case r.name == memtierTotals:
		m.Throughput = o.Throughput
		return true, memtierMisses(m, stats.Misses.String())
	case *o.Count > 0:
		return false, addOperation(m, *o)
	}
	return false, nil
}

func memtierTimes(m *imported.Measured, value json.RawMessage) error {
	var r memtierRuntime
	if err := json.Unmarshal(value, &r); err != nil {
		return err
	}
	if r.Interrupted == "true" {
		m.Remarks = append(m.Remarks, "The run was interrupted.")
	}
	if r.Unit != "" && r.Unit != "MILLISECONDS" {
		return fmt.Errorf("the time unit %.20q is not known", r.Unit)
	}
	if r.Start != "" {
		millis, err := whole(r.Start.String())
		switch {
		case err != nil:
			return err
		case *millis > maxUnixMillis:
			return fmt.Errorf("the start time %d is no Unix time in milliseconds", *millis)
		case *millis > 0: // an average of runs has no start, and 0 in its place
			at := time.UnixMilli(*millis).UTC().Format(time.RFC3339Nano)
			m.MeasuredAt = &at
		}
	}
	took, err := optional(r.Total)
	if err != nil || took == nil || *took == 0 { // as above
		return err
	}
	m.DurationMicros = took
	return nil
}

// operation is without latencies if there was no operation: memtier writes zeros then.
func (s *memtierStats) operation(name string) (*imported.Operation, error) {
	if err := imported.CheckName(name); err != nil {
		return nil, err
	}
	o := &imported.Operation{Operation: name}
	var err error
	if o.Count, err = whole(s.Count.String()); err != nil {
		return nil, fmt.Errorf("the member Count: %w", err)
	}
	if o.Throughput, err = number(s.OpsPerSec.String()); err != nil {
		return nil, fmt.Errorf("the member Ops/sec: %w", err)
	}
	if *o.Count == 0 {
		return o, nil
	}
	l := imported.Latency{Time: imported.Service}
	mean := s.Average
	if mean == "" {
		mean = s.Latency
	}
	if l.MeanMicros, err = optional(mean); err == nil {
		l.MaxMicros, err = optional(s.Max)
	}
	for name, value := range s.Percentiles {
		p, is := strings.CutPrefix(name, "p")
		at, ok := percentile(p)
		if !is || !ok || l.At(at) == nil || err != nil {
			continue
		}
		*l.At(at), err = scaled(string(bytes.TrimSpace(value)), fromMillis)
	}
	if err != nil {
		return nil, err
	}
	if !l.Empty() {
		o.Latencies = []imported.Latency{l}
	}
	return o, nil
}

// optional is a latency in milliseconds that may be missing.
func optional(millis json.Number) (*float64, error) {
	if millis == "" {
		return nil, nil
	}
	return scaled(millis.String(), fromMillis)
}
