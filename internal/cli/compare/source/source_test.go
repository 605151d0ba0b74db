package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/cli/compare/comparetest"
	"github.com/kvbench/kvbench/internal/imported"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/figures"
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/fingerprint"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

func TestDocumentsAreKnownByTheirContent(t *testing.T) {
	suite, baseline := comparetest.Suite{Name: "s", Stores: []string{"etcd", "redis"}, Blocks: 3, Confidence: 0.9875}.Documents(t)
	for _, c := range []struct {
		document      []byte
		kind          Kind
		name          string
		combinations  int
		confidence    float64
		unfingerprint bool
	}{
		{comparetest.Run(t, "r", 1), Run, "r", 1, 0, false},
		{suite, Suite, "s", 2, 0.9875, true},
		{baseline, Baseline, "s", 2, 0, false},
	} {
		got, err := Read("x.json", c.document)
		if err != nil {
			t.Errorf("%s: %v", c.kind, err)
			continue
		}
		if got.Kind != c.kind || got.Of.Name != c.name || got.Argument != "x.json" || len(got.Found.Combinations) != c.combinations || got.Confidence != c.confidence ||
			got.NoFingerprints != c.unfingerprint {
			t.Errorf("%+v", got)
		}
	}
}

func TestARunHasItsFiguresAndItsFingerprint(t *testing.T) {
	got, err := Read("x.json", comparetest.Run(t, "r", 1))
	if err != nil {
		t.Fatal(err)
	}
	c := &got.Found.Combinations[0]
	if len(c.Labels) != 0 || len(c.Fingerprints) != 1 || c.Fingerprints[0]["/store/name"] != "etcd" {
		t.Errorf("%+v", c)
	}
	want := map[string]float64{figures.Throughput: 169.65, figures.Outage: 4.974728}
	for _, m := range c.Metrics {
		if value, is := want[m.Metric]; is && (len(m.Values) != 1 || m.Values[0].Value != value) {
			t.Errorf("%s: %+v, want %v", m.Metric, m.Values, value)
		}
		delete(want, m.Metric)
	}
	if len(want) > 0 {
		t.Errorf("without %v", want)
	}
}

// A suite's report and its baseline have the same figures.
func TestASuitesReportHasTheFiguresOfItsBaseline(t *testing.T) {
	suite, baseline := comparetest.Suite{Name: "s", Blocks: 3}.Documents(t)
	ofSuite, err := Read("suite.json", suite)
	if err != nil {
		t.Fatal(err)
	}
	ofBaseline, err := Read("baseline.json", baseline)
	if err != nil {
		t.Fatal(err)
	}
	a, b := ofSuite.Found.Combinations[0], ofBaseline.Found.Combinations[0]
	for _, of := range [][2]any{{a.Metrics, b.Metrics}, {a.Workloads, b.Workloads}, {a.Operations, b.Operations}, {a.Faults, b.Faults}} {
		one, other := comparetest.JSON(t, of[0]), comparetest.JSON(t, of[1])
		if string(one) != string(other) {
			t.Errorf("%s\n%s", one, other)
		}
	}
}

func TestASuitesReportCompletesItsBaseline(t *testing.T) {
	suite, baseline := comparetest.Suite{Name: "s", Blocks: 9, Confidence: 0.9875, Factor: func(_ string, block int) float64 {
		if block > 4 {
			return 0.5 // somebody disturbed the machine
		}
		return 1
	}}.Documents(t)
	got, err := Read("suite/s", baseline)
	if err != nil {
		t.Fatal(err)
	}
	if err := got.Complete(suite); err != nil {
		t.Fatal(err)
	}
	if got.Kind != Suite || got.NoFingerprints || got.Confidence != 0.9875 || len(got.Warnings) == 0 {
		t.Errorf("%+v", got)
	}
}

func TestWhatCannotBeComparedIsRefusedInASentence(t *testing.T) {
	suite, baseline := comparetest.Suite{Name: "s", Blocks: 2}.Documents(t)
	underWay, _ := comparetest.Suite{Name: "s", Blocks: 2, UnderWay: true}.Documents(t)
	invalid, _ := comparetest.Suite{Name: "s", Blocks: 2, Change: func(_ string, _ int, r *report.Report) { r.Valid = false }}.Documents(t)
	with := func(document []byte, field string, value any) []byte {
		var all map[string]any
		if err := json.Unmarshal(document, &all); err != nil {
			t.Fatal(err)
		}
		all[field] = value
		return comparetest.JSON(t, all)
	}
	run := comparetest.Run(t, "r", 1)
	for _, c := range []struct {
		what     string
		document []byte
		says     string
		is       error
	}{
		{"nothing", nil, "x.json can't be compared: it is no report.json of a run, and no suite.json or baseline.json of a suite", nil},
		{"a list", []byte("[]"), "it is no report.json", nil},
		{"null", []byte("null"), "it is no report.json", nil},
		{"a verdict", []byte(`{"complete":true,"verdict":"Passed","objectives":[]}`), "it is no report.json", nil},
		{"a document that is cut off", run[:len(run)/2], "it is no report.json", nil},
		{"a run of another version", with(run, "format", 2), "it is a run's report of format 2, and this kubectl kvbench reads format 1", nil},
		{"a run with other types", with(run, "workloads", 7), "maybe because it is of another version of kvbench", nil},
		{"a run that isn't valid", comparetest.JSON(t, comparetest.Golden(t, "closed-loop")), "the numbers of the run bench/leader-kill are not valid (GeneratorPaused, GeneratorStarved, GeneratorStopped): make it again", ErrNotValid},
		{"an imported document of another version", with(comparetest.Imported(t, imported.Service, 1), "format", 2), "has format 2", nil},
		{"imported numbers that claim to be valid", with(comparetest.Imported(t, imported.Service, 1), "valid", true), "which nobody knows", nil},
		{"imported numbers that are not valid", with(comparetest.Imported(t, imported.Service, 1), "valid", false), "are not valid", ErrNotValid},
		{"a suite that is under way", underWay, "the suite is under way", ErrUnderWay},
		{"a suite without valid trials", invalid, "all trials of the template are not valid", ErrNotValid},
		{"a suite of another version", with(suite, "format", 2), "it is a suite's report of format 2", nil},
		{"a suite that is sure of nothing", with(suite, "confidence", 0.5), "the confidence 0.5", nil},
		{"a baseline of another version", with(baseline, "format", 2), "the baseline has format 2", nil},
		{"a baseline of nothing", with(baseline, "combinations", []any{}), "no combinations", nil},
	} {
		_, err := Read("x.json", c.document)
		if err == nil || !strings.Contains(err.Error(), c.says) || c.is != nil && !errors.Is(err, c.is) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.what, err, c.says)
		}
	}
}

func TestDocumentsThatAreTooLargeAreRefused(t *testing.T) {
	_, baseline := comparetest.Suite{Name: "s", Blocks: 1}.Documents(t)
	for what, change := range map[string]func(b *findings.Baseline){
		"combinations": func(b *findings.Baseline) {
			for range maxCombinations {
				b.Combinations = append(b.Combinations, findings.BaselineCombination{Fingerprints: []fingerprint.Print{{}}})
			}
		},
		"workloads":  func(b *findings.Baseline) { b.Combinations[0].Workloads = make([]string, maxWorkloads+1) },
		"operations": func(b *findings.Baseline) { b.Combinations[0].Operations = make([]figures.Operation, maxOperations+1) },
		"faults":     func(b *findings.Baseline) { b.Combinations[0].Faults = make([]figures.Fault, maxOperations+1) },
		"figures":    func(b *findings.Baseline) { b.Combinations[0].Metrics = make([]findings.BaselineMetric, maxMetrics+1) },
		"trials": func(b *findings.Baseline) {
			for i := range maxTrials + 1 {
				b.Combinations[0].Metrics = append(b.Combinations[0].Metrics, findings.BaselineMetric{Values: []findings.Value{{Block: i}}})
			}
		},
	} {
		read, err := findings.ReadBaseline(baseline)
		if err != nil {
			t.Fatal(err)
		}
		change(read)
		if _, err := Read("x.json", comparetest.JSON(t, read)); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	many := comparetest.Run(t, "r", 1, func(r *report.Report) { r.Workloads = make([]report.Workload, maxWorkloads+1) })
	if _, err := Read("x.json", many); err == nil || !strings.Contains(err.Error(), "more workloads") {
		t.Error(err)
	}
}

func TestAnErrorObeysNoTerminal(t *testing.T) {
	_, err := Read("x.json", fmt.Appendf(nil, `{"format":1,"suite":{},"combinations":[{"labels":[{"axis":"a","value":%q}]}]}`, "\u001b[2J"))
	if err == nil || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("%q", err)
	}
}

func TestArgumentsAreNamesOrPaths(t *testing.T) {
	for argument, want := range map[string]Reference{
		"etcd": {Name: "etcd"}, "run/etcd": {Kind: Run, Name: "etcd"}, "suites/etcd": {Kind: Suite, Name: "etcd"}, "baseline/v1.2": {Kind: Baseline, Name: "v1.2"},
		"kvb/etcd": {Kind: Run, Name: "etcd"}, "report.json": {File: "report.json"}, "results/report.json": {File: "results/report.json"}, "./etcd": {File: "./etcd"},
		"../run/etcd": {File: "../run/etcd"}, "/dev/fd/63": {File: "/dev/fd/63"}, "-": {File: "-"}, "run/report.json": {Kind: Run, Name: "report.json"},
		"a\x1b": {Name: "a\x1b"},
	} {
		if got, err := Parse(argument); err != nil || got != want {
			t.Errorf("%q is %+v, %v, want %+v", argument, got, err, want)
		}
	}
	for argument, want := range map[string]string{
		"": "is empty", "run/": "names no run", "run/a/report": "or ./run/a/report for a file", "results/etcd": "write NAME, run/NAME, suite/NAME or baseline/NAME",
	} {
		if got, err := Parse(argument); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %+v, %v, want %q", argument, got, err, want)
		}
	}
}

// What is read can be compared with itself, whatever anybody wrote.
func FuzzRead(f *testing.F) {
	for _, document := range []string{
		`{"format":1,"valid":true,"run":{"uid":"u"},"store":{},"workloads":[{"name":"a","throughput":9,"intended":9,"succeeded":8,"operations":[` +
			`{"operation":"READ","outcome":"ok","count":8,"serviceTime":{"p99Micros":7}}]}],"faults":[{"name":"f","workload":"a","outageMicros":5}]}`,
		`{"format":1,"suite":{"uid":"u"},"complete":true,"confidence":0.95,"trials":[],"combinations":[{"valid":1,"metrics":[` +
			`{"workload":"a","metric":"throughput","values":[{"block":0,"value":9}]}]}]}`,
		`{"format":1,"suite":{"uid":"u"},"combinations":[{"unusable":1,"fingerprints":[{"/a":"b"}],"workloads":["a"],"operations":[{"workload":"a","operation":"READ"}],` +
			`"metrics":[{"workload":"a","operation":"READ","metric":"p99","values":[{"block":3,"value":9,"censored":true}]}]}]}`,
		`{"kind":"kvbench.imported","format":1,"source":{"file":"f","sha256":"0"},"importedAt":"2027-01-15T08:00:00Z","workload":"w","tool":"ycsb","throughput":5,` +
			`"operations":[{"operation":"READ","count":9,"errors":1,"latencies":[{"time":"unsaid","p99Micros":7}]}],"notKnown":["validity"],"remarks":[]}`,
		`{"format":1}`,
	} {
		f.Add([]byte(document))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		got, err := Read("x.json", document)
		if err != nil {
			if got != nil || err.Error() == "" {
				t.Errorf("%+v, %v", got, err)
			}
			return
		}
		q := &findings.Question{Metrics: []string{figures.Throughput, figures.P99, figures.Errors, figures.Outage}, Margin: 0.05, Confidence: manifest.Confidence, Despite: []string{"/"}}
		c := &got.Found.Combinations[0]
		found, err := q.Compare([]findings.Pairing{{One: c, Other: c}})
		if err != nil {
			t.Fatal(err)
		}
		for _, figure := range found[0].Figures {
			if figure.Verdict == "Failed" {
				t.Errorf("%+v is worse than itself", figure)
			}
			comparetest.JSON(t, figure.Ratio)
		}
	})
}
