package figures

import (
	"slices"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/internal/report"
)

// runReport is the report of a run with a throughput, and a p99 of its reads in microseconds.
func runReport(throughput float64, p99Micros int64) *report.Report {
	return &report.Report{Kvbench: "v1", Workloads: []report.Workload{{
		Name: "a", Throughput: throughput, Intended: 1000, Succeeded: 990,
		Operations: []report.Operation{
			{Operation: "READ", Outcome: "ok", Count: 990, ResponseTime: &report.Latency{P50Micros: 500, P95Micros: 900, P99Micros: p99Micros}, ServiceTime: &report.Latency{P99Micros: 1}},
			{Operation: "READ", Outcome: "failed", Count: 10, ServiceTime: &report.Latency{P99Micros: 77}},
		},
	}}}
}

func find(set Set, name Name) *Figure {
	at := slices.IndexFunc(set.Figures, func(known Figure) bool { return known.Name == name })
	if at < 0 {
		return nil
	}
	return &set.Figures[at]
}

func TestFiguresAreThoseOfSuccesses(t *testing.T) {
	found := Of(runReport(200, 2000))
	for name, want := range map[Name]float64{
		{Workload: "a", Metric: Throughput}:                                 200,
		{Workload: "a", Metric: Errors}:                                     0.01,
		{Workload: "a", Operation: "READ", Metric: P50, Time: ResponseTime}: 0.0005,
		{Workload: "a", Operation: "READ", Metric: P99, Time: ResponseTime}: 0.002,
	} {
		if got := find(found, name); got == nil || got.Value != want || got.Censored {
			t.Errorf("%s: %+v, want %v", name, got, want)
		}
	}
	if len(found.Figures) != 6 {
		t.Errorf("%d figures", len(found.Figures))
	}
}

func TestAClosedLoopHasServiceTimes(t *testing.T) {
	r := runReport(200, 2000)
	r.Workloads[0].Operations[0].ResponseTime = nil
	r.Workloads[0].ResponseTimeCensored = true // which says nothing of service times
	if got := find(Of(r), Name{Workload: "a", Operation: "READ", Metric: P99, Time: ServiceTime}); got.Value != 1e-6 || got.Censored {
		t.Errorf("%+v", got)
	}
}

func TestWhatIsALowerBoundSaysSo(t *testing.T) {
	r := runReport(200, 2000)
	r.Workloads[0].ResponseTimeCensored = true
	r.Faults = []report.Fault{
		{Name: "kill", Workload: "a", OutageMicros: ptr.To[int64](3_000_000), OutageCensored: true},
		{Name: "cut", Workload: "a", OutageMicros: ptr.To[int64](1_500_000)},
		{Name: "second", Workload: "a", PartOf: "cut", OutageMicros: ptr.To[int64](9)},
		{Name: "missed", Workload: "a"},
	}
	found := Of(r)
	if got := find(found, Name{Workload: "a", Operation: "READ", Metric: P99, Time: ResponseTime}); !got.Censored {
		t.Errorf("%+v", got)
	}
	if got := find(found, Name{Workload: "a", Fault: "kill", Metric: Outage}); !got.Censored || got.Value != 3 {
		t.Errorf("%+v", got)
	}
	if got := find(found, Name{Workload: "a", Fault: "cut", Metric: Outage}); got.Censored || got.Value != 1.5 {
		t.Errorf("%+v", got)
	}
	if len(found.Figures) != 8 {
		t.Errorf("%d figures", len(found.Figures))
	}
}

func TestAWorkloadWithoutOperationsHasNoFigures(t *testing.T) {
	r := runReport(0, 0)
	r.Workloads[0].Intended = 0
	if found := Of(r); len(found.Figures) != 0 {
		t.Errorf("%+v", found)
	}
}
