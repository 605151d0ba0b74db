package status

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/internal/report"
)

func TestTheStatusMarksWhatTheReportMarks(t *testing.T) {
	slow := report.Operation{Operation: "READ", Outcome: "ok", ResponseTime: &report.Latency{P99Micros: 2_000_000}}
	for name, c := range map[string]struct {
		workload    report.Workload
		faults      []report.Fault
		p99, outage string
		partOf      string // of the last fault
		censored    bool
		loaded      bool
	}{
		"all is known": {
			workload: report.Workload{Operations: []report.Operation{slow}, Loading: &report.Loading{Valid: true}},
			faults:   []report.Fault{{OutageMicros: ptr.To[int64](3_000_000)}},
			p99:      "2.00s", outage: "3.00s", loaded: true,
		},
		"operations waited until the end": {
			workload: report.Workload{Operations: []report.Operation{slow}, ResponseTimeCensored: true, Loading: &report.Loading{}},
			p99:      ">2.00s", censored: true,
		},
		"the longest outage has no end": {
			workload: report.Workload{Operations: []report.Operation{slow}, Loading: &report.Loading{}},
			faults:   []report.Fault{{OutageMicros: ptr.To[int64](1_000_000)}, {OutageMicros: ptr.To[int64](3_000_000), OutageCensored: true}},
			p99:      "2.00s", outage: ">3.00s",
		},
		"a shorter one has no end, and may be the longest": {
			workload: report.Workload{Operations: []report.Operation{slow}, Loading: &report.Loading{}},
			faults:   []report.Fault{{OutageMicros: ptr.To[int64](3_000_000)}, {OutageMicros: ptr.To[int64](2_500_000), OutageCensored: true}},
			p99:      "2.00s", outage: ">3.00s",
		},
		"a fault is part of another": {
			workload: report.Workload{Operations: []report.Operation{slow}, Loading: &report.Loading{}},
			faults:   []report.Fault{{Name: "cut", OutageMicros: ptr.To[int64](3_000_000)}, {Name: "kill", PartOf: "cut"}},
			p99:      "2.00s", outage: "3.00s", partOf: "cut",
		},
		"a fault was not injected": {
			workload: report.Workload{Operations: []report.Operation{slow}, Loading: &report.Loading{}},
			faults:   []report.Fault{{}}, p99: "2.00s",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.workload.Name, c.workload.Intended = "a", 1
			run := &v1alpha1.BenchmarkRun{}
			SummarizeReport(run, &report.Report{Workloads: []report.Workload{c.workload}, Faults: c.faults})
			got := run.Status.Summary
			if got.P99 != c.p99 || got.Outage != c.outage || got.LatenciesCensored != c.censored {
				t.Errorf("%+v", got)
			}
			if last := len(got.Faults) - 1; last >= 0 && got.Faults[last].PartOf != c.partOf {
				t.Errorf("the last fault is part of %q", got.Faults[last].PartOf)
			}
			if load := FindWorkload(run, "a").Load; load == nil || load.Valid != c.loaded {
				t.Errorf("load is %+v", load)
			}
		})
	}
}

func TestTheSummaryIsThatOfTheWorstWorkload(t *testing.T) {
	// measured had so many operations of 1,000 that did not succeed, and a p99.
	measured := func(name string, failed, neverStarted, p99Micros int64) report.Workload {
		w := report.Workload{
			Name: name, Throughput: 99.6, Intended: 1000, Succeeded: 1000 - failed - neverStarted, Failed: failed, NeverStarted: neverStarted,
		}
		if w.Succeeded > 0 {
			w.Operations = []report.Operation{{Operation: "READ", Outcome: "ok", ServiceTime: &report.Latency{P99Micros: p99Micros}}}
		}
		return w
	}
	for name, c := range map[string]struct {
		workloads []report.Workload
		worst     string
		errors    int64
	}{
		"one has errors":                         {[]report.Workload{measured("a", 0, 0, 1000), measured("e", 10, 0, 500), measured("f", 0, 0, 9000)}, "e", 10},
		"another has a larger share":             {[]report.Workload{measured("a", 10, 0, 1000), measured("b", 20, 0, 1000)}, "b", 20},
		"none has errors: the longest p99":       {[]report.Workload{measured("a", 0, 0, 1000), measured("b", 0, 0, 2000), measured("c", 0, 0, 500)}, "b", 0},
		"operations of one never started":        {[]report.Workload{measured("a", 0, 0, 9000), measured("b", 0, 1, 500)}, "b", 0},
		"no operation of one was ever started":   {[]report.Workload{measured("a", 0, 0, 9000), measured("b", 0, 1000, 0)}, "b", 0},
		"nothing of one could be merged":         {[]report.Workload{measured("a", 0, 0, 1000), {Name: "b"}}, "a", 0},
		"all are equal: the first":               {[]report.Workload{measured("a", 0, 0, 1000), measured("b", 0, 0, 1000)}, "a", 0},
		"nothing of any could be merged: no one": {[]report.Workload{{Name: "a"}, {Name: "b"}}, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			o := statetest.Given(statetest.Reported, statetest.Asked("a", "b"))
			SummarizeReport(o.Run, &report.Report{Workloads: c.workloads})
			Summarize(o.Run)
			status := o.Run.Status
			if c.worst == "" {
				if status.Summary != nil || status.Workload != "b" {
					t.Errorf("%+v of workload %q", status.Summary, status.Workload)
				}
				return
			}
			if status.Summary.Workload != c.worst || status.Workload != c.worst || status.Summary.Errors != c.errors {
				t.Errorf("%+v is shown of workload %q", status.Summary, status.Workload)
			}
			for _, w := range c.workloads {
				got := FindWorkload(o.Run, w.Name).Summary
				if w.Intended == 0 {
					if got != nil {
						t.Errorf("workload %s has %+v", w.Name, got)
					}
				} else if got == nil || got.Errors != w.Failed || got.Operations != w.Succeeded || got.Throughput != 100 {
					t.Errorf("workload %s has %+v", w.Name, got)
				}
			}
		})
	}
}
