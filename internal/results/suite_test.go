package results

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

const suiteUID = "99999999-1111-4111-8111-111111111111"

func TestASuiteThatCouldNotBeKeptIsRefused(t *testing.T) {
	h := newHarness(t, func(config *Config) { config.KeepBytes, config.Limits.Runs = 2<<30, 400 })
	for _, c := range []struct {
		needed wire.SuiteNeed
		want   string // "" is that it fits
	}{
		{wire.SuiteNeed{Runs: 200, Bytes: 1 << 30}, ""},
		{wire.SuiteNeed{Runs: 201, Bytes: 1}, "201 runs, and 200 may be of suites"},
		{wire.SuiteNeed{Runs: 96, Bytes: 1<<30 + 1<<28}, "96 runs would leave some 1.2 GiB, and 1.0 GiB may be of suites"},
	} {
		err := h.as("controller").CheckSuite(t.Context(), suiteUID, c.needed)
		if (err != nil) != (c.want != "") || err != nil && (!errors.Is(err, client.ErrTooLarge) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v", c.needed, err)
		}
	}
	if err := h.as("reader").CheckSuite(t.Context(), suiteUID, wire.SuiteNeed{}); !errors.Is(err, client.ErrForbidden) {
		t.Errorf("a reader: %v", err)
	}
}

// oneTrial is the manifest of a suite with one trial, whose run is runUID.
func oneTrial(t *testing.T, complete bool) []byte {
	t.Helper()
	document, err := json.Marshal(&manifest.Manifest{
		Format: manifest.Format, Suite: manifest.Name{Namespace: "team", Name: "s", UID: suiteUID}, Complete: complete, Blocks: 1,
		Axes:         []manifest.Axis{{Name: "rate", Values: []string{"1"}}},
		Combinations: [][]manifest.Label{{{Axis: "rate", Value: "1"}}},
		Objectives: []manifest.Objective{{
			Objective: plan.Objective{Metric: "throughput", AtLeast: ptr.To(100.0)}, Basis: report.BasisRun, Text: "fast", Subjects: []manifest.Subject{{}},
		}},
		Trials: []manifest.Trial{{Attempts: []manifest.Attempt{{Run: "s-b1-c1", UID: runUID, Outcome: manifest.Valid}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// writeReport gives the run a report with a throughput.
func (h *harness) writeReport(uid string, throughput float64) {
	h.t.Helper()
	made := &report.Report{Format: report.Format, Valid: true, Workloads: []report.Workload{{Name: "a", Intended: 10, Succeeded: 10, Throughput: throughput}}}
	document, err := made.JSON()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.config.Data, runsFolder, uid, bundle.ReportFile), document, 0o600); err != nil {
		h.t.Fatal(err)
	}
	h.restart()
}

func TestASuiteIsAnsweredFromItsRuns(t *testing.T) {
	h := registered(t)
	controller, reader := h.as("controller"), h.as("reader")
	ctx := context.Background()
	h.writeReport(runUID, 123)
	if _, err := reader.GetSuite(ctx, suiteUID, "suite.json"); !errors.Is(err, client.ErrNotFound) {
		t.Errorf("before it is told: %v", err)
	}
	if err := controller.PutSuite(ctx, suiteUID, oneTrial(t, false)); err != nil {
		t.Fatal(err)
	}
	h.restart()
	var first []byte
	for range 2 {
		document, err := reader.GetSuite(ctx, suiteUID, "suite.json")
		if err != nil {
			t.Fatal(err)
		}
		found := &findings.Report{}
		if err := json.Unmarshal(document, found); err != nil {
			t.Fatal(err)
		}
		if found.Combinations[0].Valid != 1 || *found.Combinations[0].Metrics[0].Median.Value != 123 {
			t.Errorf("%s", document)
		}
		if first != nil && string(first) != string(document) {
			t.Error("the same suite gives other bytes")
		}
		first = document
	}
	for document, has := range map[string]string{"suite.md": "| rate=1 | a | throughput | 123.0/s |", "suite.csv": "1,1,a,,,throughput,,1/s,123,false\n",
		"verdict.json": `{"verdict":"Unknown","message":"fast: 123.0/s (the suite is under way) in workload a with rate=1"}`,
		"junit.xml":    `<testsuite name="team/s" tests="2" failures="0" errors="2">`,
	} {
		text, err := reader.GetSuite(ctx, suiteUID, document)
		if err != nil || !strings.Contains(string(text), has) {
			t.Errorf("%s: %v, %s", document, err, text)
		}
	}
	must(t, controller.PutSuite(ctx, suiteUID, oneTrial(t, true)))
	if text, err := reader.GetSuite(ctx, suiteUID, "verdict.json"); err != nil || !strings.HasPrefix(string(text), `{"complete":true,"verdict":"Passed",`) {
		t.Errorf("%v, %s", err, text)
	}
	if _, err := reader.GetSuite(ctx, suiteUID, "suite.exe"); !errors.Is(err, client.ErrNotFound) {
		t.Errorf("a document that there isn't: %v", err)
	}
}

func TestOnlyTheControllerTellsOfSuites(t *testing.T) {
	h := newHarness(t)
	ctx := context.Background()
	for _, who := range []string{"reader", "stranger", "worker"} {
		if err := h.as(who).PutSuite(ctx, suiteUID, oneTrial(t, true)); !errors.Is(err, client.ErrForbidden) {
			t.Errorf("%s: %v", who, err)
		}
	}
	if _, err := h.as("stranger").GetSuite(ctx, suiteUID, "suite.json"); !errors.Is(err, client.ErrForbidden) {
		t.Errorf("a stranger reads: %v", err)
	}
	controller := h.as("controller")
	for what, document := range map[string][]byte{"no JSON": []byte("{"), "another suite": []byte(strings.ReplaceAll(string(oneTrial(t, true)), suiteUID, otherUID)), "another format": []byte(`{"format": 9}`)} {
		var refused *client.Error
		if err := controller.PutSuite(ctx, suiteUID, document); !errors.As(err, &refused) || refused.Status != 400 {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// What a suite holds on to leaves room for the runs of others.
func TestSuitesHoldHalfOfWhatIsKept(t *testing.T) {
	h := registered(t, func(c *Config) { c.Limits.Runs = 3 })
	controller := h.as("controller")
	ctx := context.Background()
	must(t, controller.Register(ctx, otherUID, planOf(otherUID)))
	both := strings.Replace(string(oneTrial(t, false)), `"attempts":[`, `"attempts":[],"block":0,"combination":0},{"attempts":[{"run":"s-b1-c1-other","uid":"`+otherUID+`","outcome":"Valid"}]},{"attempts":[`, 1)
	must(t, controller.PutSuite(ctx, suiteUID, []byte(both)))
	wanted := 0
	for _, u := range h.server.registry.usages() {
		if u.wanted {
			wanted++
		}
	}
	if wanted != 1 {
		t.Errorf("of three runs that may be kept, suites hold %d", wanted)
	}
}

func TestRunsOfASuiteUnderWayAreNotForgotten(t *testing.T) {
	now := time.Now()
	h := registered(t, func(c *Config) { c.Now, c.KeepAge = func() time.Time { return now }, time.Hour })
	controller := h.as("controller")
	ctx := context.Background()
	h.writeReport(runUID, 1)
	if err := controller.PutSuite(ctx, suiteUID, oneTrial(t, false)); err != nil {
		t.Fatal(err)
	}
	now = now.Add(2 * time.Hour)
	h.server.sweep()
	if _, kept := h.server.registry.find(runUID); !kept {
		t.Fatal("the run of a suite under way was forgotten")
	}
	if err := controller.PutSuite(ctx, suiteUID, oneTrial(t, true)); err != nil {
		t.Fatal(err)
	}
	h.server.sweep()
	if _, kept := h.server.registry.find(runUID); !kept {
		t.Error("the run of a complete suite was forgotten before anybody could ask for the verdict")
	}
	now = now.Add(2 * time.Hour)
	h.server.sweep()
	if _, kept := h.server.registry.find(runUID); kept {
		t.Error("the run of a complete suite is kept for longer than runs are")
	}
	if _, err := h.as("reader").GetSuite(ctx, suiteUID, "suite.json"); !errors.Is(err, client.ErrNotFound) {
		t.Errorf("the suite is still there: %v", err)
	}
}

func TestARunsObjectivesAreTestsOfJUnit(t *testing.T) {
	h := registered(t)
	get := func() (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.web.URL+"/v1/runs/"+runUID+"/junit.xml", http.NoBody)
		must(t, err)
		r.Header.Set("Authorization", "Bearer reader")
		answer, err := h.web.Client().Do(r)
		must(t, err)
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		must(t, err)
		return answer.StatusCode, string(body)
	}
	if status, body := get(); status != http.StatusNotFound {
		t.Errorf("before there is a report: %d %s", status, body)
	}
	h.writeReport(runUID, 123)
	if status, body := get(); status != http.StatusOK || !strings.Contains(body, `name="the numbers are valid"></testcase>`) {
		t.Errorf("%d %s", status, body)
	}
}

// Two combinations had a workload each in the run. The earlier suite had the second one only.
func TestARunThatWasSharedIsTakenOverInParts(t *testing.T) {
	const shared, later = otherUID, "99999999-1111-4111-8111-222222222222"
	h, ctx := registered(t), t.Context()
	controller := h.as("controller")
	own := plan.Plan{Format: plan.Format, Seed: 1, Workloads: []plan.Workload{{Name: "a", Load: plan.Load{Workers: 2}}}}
	whole := own
	whole.Run = plan.Run{Namespace: "team", Name: "other", UID: shared, ID: "other-1a2b"}
	whole.Workloads = []plan.Workload{{Name: "c1-a", Load: plan.Load{Workers: 1}}, {Name: "c2-a", Reset: true, Load: plan.Load{Workers: 2}}}
	document, err := json.Marshal(whole)
	must(t, err)
	must(t, controller.Register(ctx, shared, document))
	h.writeReport(shared, 1)
	wanted, err := own.Fingerprint()
	must(t, err)

	attempts := func(prefix string) []manifest.Attempt {
		return []manifest.Attempt{{Run: "s-b1-s1", UID: shared, Prefix: prefix, Outcome: manifest.Valid}}
	}
	m := &manifest.Manifest{Format: manifest.FormatShared, Suite: manifest.Name{Namespace: "team", Name: "s", UID: suiteUID}, Seed: 7, Reuse: "Store", Blocks: 1,
		Axes:         []manifest.Axis{{Name: "workers", Values: []string{"1", "2"}, Fields: []string{"/load/workers"}}},
		Combinations: [][]manifest.Label{{{Axis: "workers", Value: "1"}}, {{Axis: "workers", Value: "2"}}},
		Trials:       []manifest.Trial{{Combination: 0, Attempts: attempts("c1-")}, {Combination: 1, Attempts: attempts("c2-")}}}
	document, err = json.Marshal(m)
	must(t, err)
	must(t, controller.PutSuite(ctx, suiteUID, document))

	m.Suite.UID, m.Trials = later, nil
	m.Axes[0].Values, m.Combinations = []string{"2"}, m.Combinations[1:]
	document, err = json.Marshal(m)
	must(t, err)
	answer, err := controller.Adopt(ctx, later, wire.AdoptionRequest{Manifest: document, Fingerprints: []string{wanted}})
	must(t, err)
	var got manifest.Adoption
	must(t, json.Unmarshal(answer, &got))
	want := attempts("c2-")
	want[0].Adopted = true
	if len(got.Trials) != 1 || !reflect.DeepEqual(got.Trials[0], manifest.Trial{Attempts: want}) {
		t.Errorf("%s", answer)
	}
}

// other is a suite of one trial whose throughput is to be as high as that of a baseline.
func other(t *testing.T, uid, baseline string) []byte {
	t.Helper()
	m := &manifest.Manifest{}
	if err := json.Unmarshal(oneTrial(t, true), m); err != nil {
		t.Fatal(err)
	}
	m.Suite.UID, m.Objectives[0].Basis, m.Objectives[0].Against = uid, report.BasisTrials, baseline
	document, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func TestASuiteIsComparedWithWhatWasKeptWhenItBegan(t *testing.T) {
	const later = "99999999-1111-4111-8111-222222222222"
	h, ctx := registered(t), t.Context()
	controller := h.as("controller")
	h.writeReport(runUID, 250)
	pin := wire.PinRequest{Namespace: "team", Baselines: map[string]wire.BaselineAsk{"main": {Kept: true}}}
	if _, err := controller.PinBaselines(ctx, later, pin); err == nil || !strings.Contains(err.Error(), "no suite has kept its figures under that name in the namespace team") {
		t.Errorf("before it is kept: %v", err)
	}
	if err := controller.PutSuite(ctx, suiteUID, oneTrial(t, false)); err != nil {
		t.Fatal(err)
	}
	if err := controller.KeepBaseline(ctx, suiteUID, "main"); err == nil || !strings.Contains(err.Error(), "the suite is under way") {
		t.Errorf("kept under way: %v", err)
	}
	if err := controller.PutSuite(ctx, suiteUID, oneTrial(t, true)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../main", "Main", "", strings.Repeat("a", 64)} {
		if err := controller.KeepBaseline(ctx, suiteUID, name); err == nil {
			t.Errorf("kept as %q", name)
		}
	}
	if err := controller.KeepBaseline(ctx, suiteUID, "main"); err != nil {
		t.Fatal(err)
	}
	for what, do := range map[string]func(*client.Client) error{
		"keep": func(c *client.Client) error { return c.KeepBaseline(ctx, suiteUID, "main") },
		"pin":  func(c *client.Client) error { _, err := c.PinBaselines(ctx, later, pin); return err },
		"adopt": func(c *client.Client) error {
			_, err := c.Adopt(ctx, later, wire.AdoptionRequest{Manifest: other(t, later, "main")})
			return err
		},
	} {
		if err := do(h.as("reader")); !errors.Is(err, client.ErrForbidden) {
			t.Errorf("a reader may %s: %v", what, err)
		}
	}
	for range 2 {
		pinned, err := controller.PinBaselines(ctx, later, pin)
		if err != nil || len(pinned.Baselines["main"].Combinations) != 1 || pinned.Baselines["main"].Combinations[0][0] != "rate=1" {
			t.Fatalf("%+v, %v", pinned, err)
		}
		// Another one that is kept by now changes nothing.
		h.writeReport(runUID, 1000)
		if err := controller.KeepBaseline(ctx, suiteUID, "main"); err != nil {
			t.Fatal(err)
		}
	}
	h.writeReport(runUID, 250)
	if err := controller.PutSuite(ctx, later, other(t, later, "main")); err != nil {
		t.Fatal(err)
	}
	text, err := h.as("reader").GetSuite(ctx, later, "suite.json")
	if err != nil {
		t.Fatal(err)
	}
	found := &findings.Report{}
	if err := json.Unmarshal(text, found); err != nil {
		t.Fatal(err)
	}
	if judged := found.Objectives[0].Judged[0]; judged.Figure.Value == nil || *judged.Figure.Value != 1 || judged.Against != "main" {
		t.Errorf("%+v, want a ratio of 1 to the baseline that was kept when it began", judged)
	}
	if len(found.Baselines) != 1 || found.Baselines[0].Suite.UID != suiteUID {
		t.Errorf("%+v", found.Baselines)
	}
}
