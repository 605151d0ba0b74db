package imported

import (
	"slices"

	"github.com/kvbench/kvbench/internal/report/figures"
)

// Figures are the document's figures in the shape of a run's, for a comparison. Only known figures are in it:
//   - throughput, of all operations together, or of the only kind of operation;
//   - errors, the share of the operations that failed, if the tool counts both for each kind of operation, and counts none
//     twice;
//   - p50, p95, p99 and p999 of each kind of operation, in seconds. Where there are response times, they are these.
//
// Name.Time of a percentile is Response, Service or Unsaid. Figures of two times must not be compared, and Unsaid is
// like no other. Names of operations are the tool's, so they may differ from kvbench's. Nothing is censored, since no
// tool tells. There are no faults.
func (in *Imported) Figures() figures.Set {
	set := figures.Set{Workloads: []string{in.Workload}}
	add := func(operation, metric, time, unit string, value float64) {
		name := figures.Name{Workload: in.Workload, Operation: operation, Metric: metric, Time: time}
		set.Figures = append(set.Figures, figures.Figure{Name: name, Unit: unit, Value: value})
	}
	if all := in.throughput(); all != nil {
		add("", figures.Throughput, "", figures.PerSecond, *all)
	}
	if share, known := in.errorShare(); known {
		add("", figures.Errors, "", figures.Share, share)
	}
	for i := range in.Operations {
		o := &in.Operations[i]
		set.Operations = append(set.Operations, figures.Operation{Workload: in.Workload, Operation: o.Operation})
		l := o.latency()
		if l == nil {
			continue
		}
		for _, p := range []struct {
			metric string
			micros *float64
		}{{figures.P50, l.P50Micros}, {figures.P95, l.P95Micros}, {figures.P99, l.P99Micros}, {figures.P999, l.P999Micros}} {
			if p.micros != nil {
				add(o.Operation, p.metric, l.Time, figures.Seconds, *p.micros/1e6)
			}
		}
	}
	return set
}

// throughput of all operations together. Where there is one kind alone, its own is that.
func (in *Imported) throughput() *float64 {
	if in.Throughput == nil && len(in.Operations) == 1 {
		return in.Operations[0].Throughput
	}
	return in.Throughput
}

// latency is the one to compare: response times before others. Nil if there is none.
func (o *Operation) latency() (best *Latency) {
	for i := range o.Latencies {
		if l := &o.Latencies[i]; best == nil || l.Time == Response {
			best = l
		}
	}
	return best
}

// errorShare is not known if one kind of operation lacks a count, or if operations are counted twice. A frame is no operation.
func (in *Imported) errorShare() (share float64, known bool) {
	if slices.Contains(in.NotKnown, ErrorCount) {
		return 0, false
	}
	var count, failed int64
	for i := range in.Operations {
		o := &in.Operations[i]
		if o.Role == Frame {
			continue
		}
		if o.Count == nil || o.Errors == nil || o.Role == Whole {
			return 0, false
		}
		count, failed = count+*o.Count, failed+*o.Errors
	}
	if count == 0 {
		return 0, false
	}
	return float64(failed) / float64(count), true
}
