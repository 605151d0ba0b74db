package findings

import (
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/suite/fingerprint"
)

// sharedReport is of a run in which two combinations have a workload a each, and the second one's generator lagged.
func sharedReport() *report.Report {
	r := runReport(1000, 2000)
	second := runReport(500, 4000).Workloads[0]
	r.Workloads[0].Name, second.Name = "c1-a", "c10-a"
	r.Workloads = append(r.Workloads, second)
	r.Valid, r.InvalidReasons = false, []report.Reason{{Reason: report.GeneratorLag, Workload: "c10-a"}}
	r.Environment = &bundle.Environment{
		Nodes: []bundle.Node{{Name: "node-1", Kind: "small"}, {Name: "node-2", Kind: "large"}},
		Pods: []bundle.Pod{
			{Name: "worker-1", Role: bundle.PodWorker, Workload: "c1-a", Node: "node-1"},
			{Name: "worker-2", Role: bundle.PodWorker, Workload: "c10-a", Node: "node-2"},
		},
	}
	return r
}

func TestACombinationHasItsPartOfASharedRun(t *testing.T) {
	r := sharedReport()
	found := RunOf(r, "c1-")
	r.Files = []plan.File{{Name: "trace.csv", SHA256: "1"}, {Name: "lengths", SHA256: "2"}}
	r.Workloads[0].Properties = map[string]string{"fieldlengthhistogram": "lengths"}
	if got := part(r, "c1-").Files; len(got) != 1 || got[0].Name != "lengths" {
		t.Errorf("it has the files %v", got)
	}
	if found == nil {
		t.Fatal("the workload of the first one is valid")
	}
	if got := found.figures.Find("a", "", "", figures.Throughput); got == nil || got.Value != 1000 || len(found.figures.Workloads) != 1 {
		t.Errorf("%+v", found.figures)
	}
	alone := runReport(1000, 2000)
	alone.Environment = &bundle.Environment{
		Nodes: []bundle.Node{{Name: "node-1", Kind: "small"}},
		Pods:  []bundle.Pod{{Name: "worker-1", Role: bundle.PodWorker, Workload: "a", Node: "node-1"}},
	}
	if got := fingerprint.Differences(found.print, RunOf(alone, "").print); len(got) != 1 || got[0].Field != "/reuse" {
		t.Errorf("it differs from a run of its own in %v", got)
	}
}

func TestWhatIsNotValidInASharedRun(t *testing.T) {
	if RunOf(sharedReport(), "c10-") != nil {
		t.Error("the generator lagged")
	}
	if RunOf(sharedReport(), "c2-") != nil {
		t.Error("the run has no such combination")
	}
	whole := sharedReport()
	whole.InvalidReasons = []report.Reason{{Reason: report.ClockUncertain}}
	if RunOf(whole, "c1-") != nil {
		t.Error("the reason is one of the whole run")
	}
}
