package controllers

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/report"
)

func TestTheStatusMarksWhatTheReportMarks(t *testing.T) {
	slow := report.Operation{Operation: "READ", Outcome: "ok", ResponseTime: &report.Latency{P99Micros: 2_000_000}}
	for name, c := range map[string]struct {
		workload    report.Workload
		faults      []report.Fault
		p99, outage string
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
		"a fault was not injected": {
			workload: report.Workload{Operations: []report.Operation{slow}, Loading: &report.Loading{}},
			faults:   []report.Fault{{}}, p99: "2.00s",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.workload.Name = "a"
			run := &v1alpha1.BenchmarkRun{}
			summarizeReport(run, &report.Report{Workloads: []report.Workload{c.workload}, Faults: c.faults})
			got := run.Status.Summary
			if got.P99 != c.p99 || got.Outage != c.outage || got.LatenciesCensored != c.censored {
				t.Errorf("%+v", got)
			}
			if load := findWorkload(run, "a").Load; load == nil || load.Valid != c.loaded {
				t.Errorf("load is %+v", load)
			}
		})
	}
}
