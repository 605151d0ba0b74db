package comparison

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/cli/compare/comparetest"
	"github.com/kvbench/kvbench/internal/cli/compare/source"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

func read(t *testing.T, argument string, document []byte) *source.Source {
	t.Helper()
	s, err := source.Read(argument, document)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// kept is the baseline of a suite.
func kept(t *testing.T, s comparetest.Suite) *source.Source {
	t.Helper()
	_, baseline := s.Documents(t)
	return read(t, s.Name, baseline)
}

// slower is a suite whose stores of these names have half the throughput.
func slower(name string, stores []string, slow ...string) comparetest.Suite {
	return comparetest.Suite{Name: name, Stores: stores, Blocks: 8, Factor: func(store string, _ int) float64 {
		if slices.Contains(slow, store) {
			return 0.5
		}
		return 1
	}}
}

func compare(t *testing.T, q *Question, sources ...*source.Source) *Document {
	t.Helper()
	d, err := Compare(sources, q)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// said is a line for each pair and each figure of the throughput, and for what has no counterpart.
func said(d *Document) (lines []string) {
	for i := range d.Compared {
		c := &d.Compared[i]
		if c.Why != "" {
			lines = append(lines, c.Why)
		}
		for _, p := range c.Pairs {
			line := fmt.Sprintf("%s %s/%s %s", c.Argument, manifest.NameOf(p.Combination), manifest.NameOf(p.Base), p.Outcome)
			for _, f := range p.Figures {
				if f.Metric == "throughput" {
					line += " " + f.Change + " " + f.Verdict
				}
			}
			lines = append(lines, strings.TrimSpace(line))
		}
		for what, all := range map[string][]Combination{"only here": c.OnlyHere, "only in the base": c.OnlyInBase} {
			for _, one := range all {
				lines = append(lines, what+" "+manifest.NameOf(one))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

func TestCombinationsAreMatchedByTheirLabels(t *testing.T) {
	etcd, both := []string{"etcd"}, []string{"etcd", "redis"}
	gate := &Question{Metrics: []string{"throughput"}, Margin: 0.05}
	only := func(store string) *Question {
		q := *gate
		q.Where = []manifest.Label{{Axis: "store", Value: store}}
		return &q
	}
	run := func(t *testing.T) *source.Source { return read(t, "run", comparetest.Run(t, "run", 1)) }
	for _, c := range []struct {
		what    string
		q       *Question
		sources func(t *testing.T) []*source.Source
		verdict string
		code    int
		said    []string
	}{
		{"the same labels in another order of the values", gate, func(t *testing.T) []*source.Source {
			return []*source.Source{kept(t, slower("main", both)), kept(t, slower("new", []string{"redis", "etcd"}))}
		}, "Passed", 0, []string{"new store=etcd/store=etcd Comparable Same Passed", "new store=redis/store=redis Comparable Same Passed"}},
		{"one combination is slower", gate, func(t *testing.T) []*source.Source {
			return []*source.Source{kept(t, slower("main", both)), kept(t, slower("new", both, "redis"))}
		}, "Failed", 1, []string{"new store=etcd/store=etcd Comparable Same Passed", "new store=redis/store=redis Comparable Worse Failed"}},
		{"the slow one is left out", only("etcd"), func(t *testing.T) []*source.Source {
			return []*source.Source{kept(t, slower("main", both)), kept(t, slower("new", both, "redis"))}
		}, "Passed", 0, []string{"new store=etcd/store=etcd Comparable Same Passed"}},
		{"one of the base has no counterpart", gate, func(t *testing.T) []*source.Source {
			return []*source.Source{kept(t, slower("main", both)), kept(t, slower("new", etcd))}
		}, "Unknown", 3, []string{"new store=etcd/store=etcd Comparable Same Passed", "only in the base store=redis"}},
		{"one is new", gate, func(t *testing.T) []*source.Source {
			return []*source.Source{kept(t, slower("main", etcd)), kept(t, slower("new", both))}
		}, "Unknown", 3, []string{"new store=etcd/store=etcd Comparable Same Passed", "only here store=redis"}},
		{"none has the same labels", gate, func(t *testing.T) []*source.Source {
			return []*source.Source{kept(t, slower("main", both)), run(t)}
		}, "Unknown", 3, []string{"no combination has all the labels of one of main: --where AXIS=VALUE chooses combinations", "only here the template",
			"only in the base store=etcd", "only in the base store=redis"}},
		{"a run and one combination that is chosen", only("redis"), func(t *testing.T) []*source.Source {
			return []*source.Source{kept(t, slower("main", both)), run(t)}
		}, "Unknown", 3, []string{"run the template/store=redis Comparable Unknown Unknown"}},
		{"one combination each, whatever their labels", gate, func(t *testing.T) []*source.Source {
			return []*source.Source{kept(t, slower("main", etcd)), kept(t, slower("new", []string{"redis"}))}
		}, "Passed", 0, []string{"new store=redis/store=etcd Comparable Same Passed"}},
		{"each against the first", gate, func(t *testing.T) []*source.Source {
			return []*source.Source{kept(t, slower("main", nil)), kept(t, slower("new", nil)), kept(t, slower("slow", nil, ""))}
		}, "Failed", 1, []string{"new the template/the template Comparable Same Passed", "slow the template/the template Comparable Worse Failed"}},
		{"without a gate a worse one is no failure", &Question{}, func(t *testing.T) []*source.Source {
			return []*source.Source{kept(t, slower("main", nil)), kept(t, slower("slow", nil, ""))}
		}, "", 0, []string{"slow the template/the template Comparable Worse"}},
		{"a suite with itself", gate, func(t *testing.T) []*source.Source {
			return []*source.Source{kept(t, slower("main", nil)), kept(t, slower("main", nil))}
		}, "Unknown", 3, []string{"main the template/the template NotComparable"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			d := compare(t, c.q, c.sources(t)...)
			if d.Verdict != c.verdict || d.ExitCode() != c.code || !slices.Equal(said(d), c.said) {
				t.Errorf("%s, exit code %d, want %s and %d:\n%s\nwant\n%s", d.Verdict, d.ExitCode(), c.verdict, c.code, strings.Join(said(d), "\n"), strings.Join(c.said, "\n"))
			}
		})
	}
}

func TestUnlikeIsNotComparedWithUnlike(t *testing.T) {
	older := func(r *report.Report) { r.Store.Version, r.Kvbench = "3.5", "v0" }
	base, other := read(t, "old", comparetest.Run(t, "old", 1, older)), read(t, "new", comparetest.Run(t, "new", 1))
	for _, c := range []struct {
		despite      []string
		outcome      string
		differ, okay int
		code         int
	}{
		{nil, NotComparable, 2, 0, 3},
		{[]string{"/store/version"}, NotComparable, 1, 1, 3},
		{[]string{"/store", "/kvbench"}, Comparable, 0, 2, 0},
		{[]string{"/"}, Comparable, 0, 2, 0},
	} {
		d := compare(t, &Question{Despite: c.despite}, base, other)
		p := d.Compared[0].Pairs[0]
		if p.Outcome != c.outcome || len(p.Differences) != c.differ || len(p.Accepted) != c.okay || d.ExitCode() != c.code || (len(p.Figures) == 0) != (c.outcome == NotComparable) {
			t.Errorf("%q: exit code %d, %+v", c.despite, d.ExitCode(), p)
		}
	}
}

func TestSingleRunsProveNothing(t *testing.T) {
	base, half := read(t, "base", comparetest.Run(t, "base", 1)), read(t, "half", comparetest.Run(t, "half", 0.5))
	d := compare(t, &Question{Margin: 0.05}, base, half)
	if d.Verdict != "Unknown" || d.ExitCode() != 3 {
		t.Errorf("%s, exit code %d", d.Verdict, d.ExitCode())
	}
	for _, f := range d.Compared[0].Pairs[0].Figures {
		if f.Ratio.Value == nil || f.Ratio.Low != nil || f.Change != Unknown || f.Why != findings.OneTrialEach {
			t.Errorf("%+v", f)
		}
	}
}

func TestTheWorstFigureComesFirst(t *testing.T) {
	mixed := comparetest.Suite{Name: "new", Blocks: 8, Change: func(_ string, _ int, r *report.Report) {
		for i := range r.Workloads[0].Operations {
			if o := &r.Workloads[0].Operations[i]; o.Operation == "UPDATE" && o.ResponseTime != nil {
				o.ResponseTime.P99Micros *= 3
				o.ResponseTime.P95Micros *= 2
				o.ResponseTime.P50Micros /= 2
			}
		}
	}}
	d := compare(t, &Question{Margin: 0.05}, kept(t, slower("main", nil)), kept(t, mixed))
	figures := d.Compared[0].Pairs[0].Figures
	var names []string
	for _, f := range figures {
		names = append(names, f.Metric+" "+f.Operation+" "+f.Change)
	}
	last := len(names) - 1
	if names[0] != "p99 UPDATE Worse" || names[1] != "p95 UPDATE Worse" || names[last-1] != "p50 UPDATE Better" || names[last] != "errors  Same" {
		t.Errorf("%q", names)
	}
}

func TestASuiteThatCouldEndEarlyHasItsConfidence(t *testing.T) {
	suite, baseline := comparetest.Suite{Name: "looks", Blocks: 8, Confidence: 0.9875}.Documents(t)
	looks := read(t, "looks", baseline)
	if err := looks.Complete(suite); err != nil {
		t.Fatal(err)
	}
	d := compare(t, &Question{Metrics: []string{"throughput"}}, kept(t, slower("main", nil)), looks)
	if f := d.Compared[0].Pairs[0].Figures[0]; d.Confidence != 0.9875 || f.Ratio.Confidence < 0.9875 {
		t.Errorf("%v, %v", d.Confidence, f.Ratio.Confidence)
	}
}

func TestASuitesReportTellsNothingOfLikeness(t *testing.T) {
	suite, _ := slower("main", nil).Documents(t)
	base, other := read(t, "suite.json", suite), kept(t, slower("new", nil))
	p := compare(t, &Question{}, base, other).Compared[0].Pairs[0]
	if p.Outcome != NotComparable || !strings.Contains(p.Why, "take baseline.json of that suite") {
		t.Errorf("%+v", p)
	}
	d := compare(t, &Question{Despite: []string{"/"}}, base, other)
	if p = d.Compared[0].Pairs[0]; p.Outcome != Comparable || p.Accepted != nil || len(p.Figures) == 0 || len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0], "nobody knows") {
		t.Errorf("%+v, %q", p, d.Warnings)
	}
}

func TestQuestionsOfWhatIsNotThereAreRefused(t *testing.T) {
	sources := []*source.Source{kept(t, slower("main", []string{"etcd", "redis"})), kept(t, slower("new", []string{"etcd", "redis"}))}
	for want, q := range map[string]*Question{
		"--where store=valkey chooses nothing: there are store=etcd, store=redis": {Where: []manifest.Label{{Axis: "store", Value: "valkey"}}},
		"--operation SCAN is of none that was done: there are READ, UPDATE":       {Operation: "SCAN"},
	} {
		if _, err := Compare(sources, q); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestTextsOfOthersObeyNoTerminal(t *testing.T) {
	hostile := func(r *report.Report) {
		r.Run.Name, r.Workloads[0].Name, r.Store.Mode = "r\x1b[2J", "w\x1b[2J", "m\x1b[2J"
		r.Workloads[0].Operations[0].Operation = "READ\x1b[2J"
		r.Faults = nil
	}
	for _, despite := range [][]string{nil, {"/"}} {
		d := compare(t, &Question{Margin: 0.05, Despite: despite}, read(t, "base", comparetest.Run(t, "base", 1)), read(t, "new", comparetest.Run(t, "new", 1, hostile)))
		if text := fmt.Sprintf("%+v", *d); strings.Contains(text, "\x1b") || !strings.Contains(text, "\ufffd[2J") {
			t.Errorf("%q", text)
		}
	}
}
