package export

import (
	"strings"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/ycsb/measurements"
)

func measuredWorkload(name string) report.Workload {
	at := "2027-01-15T08:00:00.000000Z"
	return report.Workload{Name: name, StartedAt: &at}
}

func TestAWorkloadIsChosenByName(t *testing.T) {
	r := &report.Report{Workloads: []report.Workload{measuredWorkload("reads"), measuredWorkload("mixed"), {Name: "late"}}}
	for name, want := range map[string]string{"": "reads, mixed", "mixed": "mixed"} {
		if chosen, err := choose(r, name); err != nil || names(chosen) != want {
			t.Errorf("%q: %s, %v", name, names(chosen), err)
		}
	}
	for name, says := range map[string]string{"mixd": "did you mean mixed?", "other": "it has reads, mixed, late", "late": "never measured"} {
		if _, err := choose(r, name); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", name, err, says)
		}
	}
	if _, err := choose(&report.Report{}, ""); err == nil {
		t.Error("a report without workloads has one")
	}
}

func TestFilesOfAnotherRunAreRefused(t *testing.T) {
	h := histogram.New()
	if err := h.RecordValues(5, 7); err != nil {
		t.Fatal(err)
	}
	totals := &measurements.Totals{Histograms: map[measurements.Latencies]*hdr.PackedHistogram{{Operation: "READ"}: h, {Operation: "READ", Status: "FAILED"}: h}}
	w := &report.Workload{Name: "a", Operations: []report.Operation{
		{Operation: "READ", Outcome: "ok", Count: 7}, {Operation: "READ", Outcome: "failed", Count: 4}, {Operation: "READ", Outcome: "unknown", Count: 3}}}
	if err := agree(w, totals); err != nil {
		t.Error(err)
	}
	w.Operations[2].Count = 2
	if err := agree(w, totals); err == nil || !strings.Contains(err.Error(), "7 READ that succeeded and 6 that did not") {
		t.Errorf("error: %v", err)
	}
}

func TestReasonsOfAFileCannotReachTheTerminal(t *testing.T) {
	r := &report.Report{InvalidReasons: []report.Reason{{Reason: "Generator\x1b[2JLag\n"}, {Reason: "GeneratorLag"}, {Reason: "\x07"}}}
	if got := reasons(r); got != "Generator2JLag, GeneratorLag" {
		t.Errorf("%q", got)
	}
	if got := reasons(&report.Report{}); got != "the report doesn't say why" {
		t.Errorf("%q", got)
	}
}

func TestWhatAFormatCannotHoldIsSaid(t *testing.T) {
	w := measuredWorkload("a")
	w.ResponseTimeCensored, w.NeverStarted, w.Unknown = true, 5, 2
	w.Operations = []report.Operation{{Operation: "READ", Outcome: "unknown", Count: 2}}
	r := &report.Report{Valid: true, Faults: []report.Fault{{Workload: "a"}, {Workload: "b"}}}
	chosen := []*report.Workload{&w}
	said := strings.Join(lacks(ycsbText, r, chosen), "\n")
	for _, text := range []string{"5 operations of workload a never started", "The outcome of 2 operations", "the report has 1:"} {
		if !strings.Contains(said, text) {
			t.Errorf("nothing says %q: %s", text, said)
		}
	}
	if said := lacks(figuresCSV, r, chosen); said != nil {
		t.Errorf("the report's figures lack %v", said)
	}
}
