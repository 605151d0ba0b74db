package compare

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/cli/compare/comparetest"
	"github.com/kvbench/kvbench/internal/cli/compare/source"
	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/results/forward"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// server has documents under their paths.
type server map[string][]byte

func (s server) Get(_ context.Context, path string) ([]byte, error) {
	if document, is := s[path]; is {
		return document, nil
	}
	return nil, &forward.Refusal{Path: path, Status: "404 Not Found", Reason: wire.ReasonNotFound, Message: "there is none"}
}

func (s server) Ask(ctx context.Context, path string, into any) error {
	document, err := s.Get(ctx, path)
	if err != nil {
		return err
	}
	return json.Unmarshal(document, into)
}

func gathererOf(s server) *gatherer {
	return &gatherer{cluster: &kube.Cluster{Namespace: "bench"}, results: s}
}

func TestRunsAndSuitesAreFetchedByTheirUIDs(t *testing.T) {
	suite, baseline := comparetest.Suite{Name: "s", Blocks: 8, Confidence: 0.9875}.Documents(t)
	underWay, _ := comparetest.Suite{Name: "u", Blocks: 8, UnderWay: true}.Documents(t)
	g := gathererOf(server{
		"/v1/runs/1/report.json": comparetest.Run(t, "r", 1), "/v1/runs/2/report.json": comparetest.JSON(t, comparetest.Golden(t, "closed-loop")),
		"/v1/suites/3/suite.json": suite, "/v1/suites/3/baseline.json": baseline, "/v1/suites/4/suite.json": underWay,
	})
	for _, c := range []struct {
		entry inventory.Entry
		kind  source.Kind
		err   error
	}{
		{inventory.Entry{Kind: inventory.Run, UID: "1", Reported: true}, source.Run, nil},
		{inventory.Entry{Kind: inventory.Run, UID: "2", Reported: true}, "", source.ErrNotValid},
		{inventory.Entry{Kind: inventory.Suite, UID: "3", Reported: true}, source.Suite, nil},
		{inventory.Entry{Kind: inventory.Suite, UID: "4", Reported: true}, "", source.ErrUnderWay},
		{inventory.Entry{Kind: inventory.Run, UID: "5", Phase: "Running"}, "", errNoReport},
	} {
		got, err := g.entry(context.Background(), "x", &c.entry)
		if !errors.Is(err, c.err) {
			t.Errorf("%s: %v, want %v", c.entry.UID, err, c.err)
		}
		if c.err == nil && (got.Kind != c.kind || got.NoFingerprints || got.Argument != "x") {
			t.Errorf("%s: %+v", c.entry.UID, got)
		}
		if c.kind == source.Suite && got.Confidence != 0.9875 {
			t.Errorf("%+v", got)
		}
	}
}

func TestTheChartsOfARunAreFetchedForAPage(t *testing.T) {
	run := comparetest.Run(t, "r", 1)
	g := gathererOf(server{"/v1/runs/1/report.json": run, "/v1/runs/1/charts.json": []byte("charts"), "/v1/runs/2/report.json": run})
	for _, c := range []struct {
		uid    string
		wanted bool
		charts string
	}{{"1", true, "charts"}, {"2", true, ""}, {"1", false, ""}} {
		g.charts = c.wanted
		got, err := g.entry(context.Background(), "x", &inventory.Entry{Kind: inventory.Run, UID: c.uid, Reported: true})
		if err != nil || string(got.Charts) != c.charts || !bytes.Equal(got.Report, run) {
			t.Errorf("run %s, wanted %t: charts %q, %v", c.uid, c.wanted, got.Charts, err)
		}
	}
}

func TestABaselineIsFetchedByItsName(t *testing.T) {
	_, baseline := comparetest.Suite{Name: "s", Blocks: 8}.Documents(t)
	list := comparetest.JSON(t, wire.BaselineList{Baselines: []wire.BaselineSummary{{Name: "released"}}})
	g := gathererOf(server{"/v1/baselines/bench/released": baseline, "/v1/baselines/bench": list})
	got, err := g.baseline(context.Background(), "baseline/released", "released")
	if err != nil || got.Kind != source.Baseline || got.Of.Name != "s" {
		t.Errorf("%+v, %v", got, err)
	}
	for name, want := range map[string]string{
		"relaesed": "the namespace bench has no baseline relaesed; did you mean released?",
		"../runs":  "the namespace bench has no baseline ../runs; kubectl kvbench baseline list shows those there are",
	} {
		if _, err := g.baseline(context.Background(), "baseline/"+name, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
