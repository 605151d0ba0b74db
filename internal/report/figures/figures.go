// Package figures takes the figures from a run's report that objectives bound and that suites compare. It is pure.
package figures

import (
	"math"
	"slices"

	"github.com/kvbench/kvbench/internal/report"
)

// Names of metrics.
const (
	Throughput  = "throughput"
	Errors      = "errors" // the share of the operations that did not succeed
	P50         = "p50"
	P95         = "p95"
	P99         = "p99"
	P999        = "p999"
	Outage      = "outage"
	RecordsLost = "recordsLost"
)

// Units of figures.
const (
	Seconds   = "s"
	PerSecond = "1/s"
	Share     = "1" // a part of 1
	Records   = "records"
)

// Kinds of times.
const (
	ResponseTime = "response"
	ServiceTime  = "service"
)

// Name says which figure of a run's report it is. Operation is empty for figures of all operations together, and Fault
// for figures that are of none.
type Name struct {
	Workload  string `json:"workload"`
	Operation string `json:"operation,omitempty"`
	Fault     string `json:"fault,omitempty"`
	Metric    string `json:"metric"`
	// Time of a percentile is ResponseTime in an open loop, and ServiceTime in a closed one. They can't be compared.
	Time string `json:"time,omitempty"`
}

func (n Name) String() string {
	name := n.Metric
	if n.Operation != "" {
		name += " of " + n.Operation + " (" + n.Time + " time)"
	}
	if n.Fault != "" {
		name += " by " + n.Fault
	}
	return name + " in workload " + n.Workload
}

// Figure is one figure.
type Figure struct {
	Name
	Unit  string
	Value float64
	// Censored says that Value is a lower bound.
	Censored bool
}

// Most is the largest that the figure can be.
func (f *Figure) Most() float64 {
	if f.Censored {
		return math.Inf(1)
	}
	return f.Value
}

// Set is all figures of a run, and what may have some. An operation that never succeeded has no percentile, and a fault
// has no figures where nobody knows what it did.
type Set struct {
	Figures    []Figure
	Workloads  []string
	Operations []Operation
	Faults     []Fault
}

// Operation is a kind of operation that was intended in a workload.
type Operation struct {
	Workload  string `json:"workload"`
	Operation string `json:"operation"`
}

// Fault is one that a workload was to have. Outage says that it has an outage of its own, and not that of another fault.
type Fault struct {
	Workload string `json:"workload"`
	Fault    string `json:"fault"`
	Outage   bool   `json:"outage"`
}

// Find returns the figure of that name; nil if there is none. Only one kind of time is there of each percentile.
func (s *Set) Find(workload, operation, fault, metric string) *Figure {
	at := slices.IndexFunc(s.Figures, func(f Figure) bool {
		return f.Metric == metric && f.Workload == workload && f.Operation == operation && f.Fault == fault
	})
	if at < 0 {
		return nil
	}
	return &s.Figures[at]
}

// Of takes the figures from a report.
func Of(r *report.Report) Set {
	set := Set{}
	for i := range r.Workloads {
		w := &r.Workloads[i]
		set.Workloads = append(set.Workloads, w.Name)
		set.Figures = append(set.Figures, ofWorkload(w)...)
		for j := range w.Operations {
			kind := Operation{w.Name, w.Operations[j].Operation}
			if w.Operations[j].Count > 0 && !slices.Contains(set.Operations, kind) {
				set.Operations = append(set.Operations, kind)
			}
		}
	}
	for i := range r.Faults {
		fault := &r.Faults[i]
		set.Faults = append(set.Faults, Fault{fault.Workload, fault.Name, fault.PartOf == ""})
		name := Name{Workload: fault.Workload, Fault: fault.Name, Metric: Outage}
		if fault.PartOf == "" && fault.OutageMicros != nil {
			set.Figures = append(set.Figures, Figure{name, Seconds, float64(*fault.OutageMicros) / 1e6, fault.OutageCensored})
		}
		if fault.RecordsLost != nil {
			name.Metric = RecordsLost
			set.Figures = append(set.Figures, Figure{name, Records, float64(*fault.RecordsLost), writes(r, fault.Workload)})
		}
	}
	return set
}

// writes says that the workload's clients write records. A record that was lost and was written again, counts as not lost.
func writes(r *report.Report, workload string) bool {
	at := slices.IndexFunc(r.Workloads, func(w report.Workload) bool { return w.Name == workload })
	return at < 0 || slices.ContainsFunc(r.Workloads[at].Operations, func(o report.Operation) bool {
		return o.Operation != "READ" && o.Operation != "SCAN"
	})
}

func ofWorkload(w *report.Workload) (all []Figure) {
	if w.Intended == 0 {
		return nil // nothing was merged: a throughput of 0 would be a claim
	}
	all = append(all,
		Figure{Name{Workload: w.Name, Metric: Throughput}, PerSecond, w.Throughput, false},
		Figure{Name{Workload: w.Name, Metric: Errors}, Share, float64(w.Intended-w.Succeeded) / float64(w.Intended), false})
	for i := range w.Operations {
		o := &w.Operations[i]
		if o.Outcome != "ok" || o.Count == 0 {
			continue
		}
		times, kind, censored := o.ServiceTime, ServiceTime, false
		if o.ResponseTime != nil {
			times, kind, censored = o.ResponseTime, ResponseTime, w.ResponseTimeCensored
		}
		if times == nil {
			continue
		}
		for _, p := range []struct {
			metric string
			micros int64
		}{{P50, times.P50Micros}, {P95, times.P95Micros}, {P99, times.P99Micros}, {P999, times.P999Micros}} {
			name := Name{Workload: w.Name, Operation: o.Operation, Metric: p.metric, Time: kind}
			all = append(all, Figure{name, Seconds, float64(p.micros) / 1e6, censored || p.micros >= longestMicros})
		}
	}
	return all
}

// longestMicros is the end of the histograms: longer times count as this.
const longestMicros = 600_000_000
