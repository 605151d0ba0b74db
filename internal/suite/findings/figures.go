package findings

import "github.com/kvbench/kvbench/internal/report"

// Figures are those of one run's report that a suite compares. A run of an hour has a report of megabytes, and a suite has
// hundreds of runs: so reports are read one after the other, and this is what is kept.
type Figures struct {
	Kvbench string // that made the run
	Promise string // of the store's mode
	Store   string // its version and chart
	// Saturated are the workloads whose load the store could not take.
	Saturated []string
	figures   []figure
}

type figure struct {
	name     MetricName
	unit     string
	value    float64
	censored bool
}

// FiguresOf takes the figures from a run's report.
func FiguresOf(r *report.Report) *Figures {
	f := &Figures{Kvbench: r.Kvbench, Promise: r.Store.Promise, Store: r.Store.Name + " " + r.Store.Version + " " + r.Store.Chart}
	for i := range r.Workloads {
		if r.Workloads[i].Saturated {
			f.Saturated = append(f.Saturated, r.Workloads[i].Name)
		}
		f.addWorkload(&r.Workloads[i])
	}
	for i := range r.Faults {
		if fault := &r.Faults[i]; fault.PartOf == "" && fault.OutageMicros != nil {
			f.add(MetricName{Workload: fault.Workload, Fault: fault.Name, Metric: Outage}, "s", float64(*fault.OutageMicros)/1e6, fault.OutageCensored)
		}
	}
	return f
}

func (f *Figures) addWorkload(w *report.Workload) {
	if w.Intended == 0 {
		return // nothing was merged: a throughput of 0 would be a claim
	}
	f.add(MetricName{Workload: w.Name, Metric: Throughput}, "1/s", w.Throughput, false)
	f.add(MetricName{Workload: w.Name, Metric: Errors}, "1", float64(w.Intended-w.Succeeded)/float64(w.Intended), false)
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
		}{{P50, times.P50Micros}, {P95, times.P95Micros}, {P99, times.P99Micros}} {
			f.add(MetricName{Workload: w.Name, Operation: o.Operation, Metric: p.metric, Time: kind}, "s", float64(p.micros)/1e6, censored || p.micros >= longestMicros)
		}
	}
}

// longestMicros is the end of the histograms: longer times count as this.
const longestMicros = 600_000_000

func (f *Figures) add(name MetricName, unit string, value float64, censored bool) {
	f.figures = append(f.figures, figure{name, unit, value, censored})
}
