package comparison

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/cli/compare/comparetest"
	"github.com/kvbench/kvbench/internal/cli/compare/source"
	"github.com/kvbench/kvbench/internal/cli/exit"
	"github.com/kvbench/kvbench/internal/imported"
	"github.com/kvbench/kvbench/internal/report"
)

func sourceOf(t *testing.T, document []byte) *source.Source {
	t.Helper()
	s, err := source.Read("x.json", document)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// figureIn is a figure of the only pair.
func figureIn(t *testing.T, d *Document, metric string) *Figure {
	t.Helper()
	figures := d.Compared[0].Pairs[0].Figures
	at := slices.IndexFunc(figures, func(f Figure) bool { return f.Metric == metric && (f.Operation == "" || f.Operation == "READ") })
	if at < 0 {
		t.Fatalf("no %s in %+v", metric, figures)
	}
	return &figures[at]
}

// A file's name is no workload, so the only workload of each is compared with the other's.
func TestImportedFiguresHaveARatioToThoseOfARun(t *testing.T) {
	run, other := sourceOf(t, comparetest.Run(t, "r", 1)), sourceOf(t, comparetest.Imported(t, imported.Response, 0.5))
	for _, c := range []struct {
		sources []*source.Source
		ratio   float64
	}{{[]*source.Source{run, other}, 0.5}, {[]*source.Source{other, run}, 2}} {
		d, err := Compare(c.sources, &Question{})
		if err != nil {
			t.Fatal(err)
		}
		f := figureIn(t, d, "throughput")
		if f.Ratio.Value == nil || math.Abs(*f.Ratio.Value-c.ratio) > 1e-9 || f.Workload != "a" {
			t.Errorf("%+v, want a ratio of %v", f, c.ratio)
		}
		if p99 := figureIn(t, d, "p99"); p99.Ratio.Value == nil || p99.Time != "response" {
			t.Errorf("%+v", p99)
		}
		p := d.Compared[0].Pairs[0]
		if p.Outcome != Imported || d.Compared[0].Comparable || len(p.Accepted) != 0 || d.ExitCode() != 0 {
			t.Errorf("%+v, exit code %d", p, d.ExitCode())
		}
		if !slices.ContainsFunc(d.Warnings, func(w string) bool { return strings.Contains(w, "Nobody judged whether the numbers are valid") }) {
			t.Errorf("%q", d.Warnings)
		}
	}
	if run.Found.Combinations[0].Workloads[0] != "a" || other.Found.Combinations[0].Workloads[0] != "old" {
		t.Error("the sources were changed")
	}
}

// One trial beside many has an interval, and a verdict, unless somebody takes them away.
func TestNothingIsClaimedOfImportedFigures(t *testing.T) {
	_, baseline := comparetest.Suite{Name: "s", Blocks: 100}.Documents(t)
	suite, other := sourceOf(t, baseline), sourceOf(t, comparetest.Imported(t, imported.Response, 0.01))
	for _, sources := range [][]*source.Source{{suite, other}, {other, suite}, {other, other}} {
		d, err := Compare(sources, &Question{Margin: 0.05})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range d.Compared[0].Pairs[0].Figures {
			if f.Ratio.Low != nil || f.Ratio.High != nil || f.Change != Unknown || f.Verdict == report.VerdictFailed || f.Verdict == report.VerdictPassed || !strings.HasPrefix(f.Why, NotJudged) {
				t.Errorf("%+v", f)
			}
		}
		if d.Verdict != report.VerdictUnknown || d.ExitCode() != exit.Unknown {
			t.Errorf("verdict %s, exit code %d", d.Verdict, d.ExitCode())
		}
	}
}

// Two times of which nobody knows what they are may be of two kinds.
func TestLatenciesOfUnsaidTimesHaveNoRatio(t *testing.T) {
	unsaid := sourceOf(t, comparetest.Imported(t, imported.Unsaid, 1))
	service := sourceOf(t, comparetest.Imported(t, imported.Service, 1))
	for name, c := range map[string]struct {
		sources []*source.Source
		says    string
	}{
		"twice":                 {[]*source.Source{unsaid, unsaid}, "import --time"},
		"beside a service time": {[]*source.Source{unsaid, service}, "import --time"},
		"beside a run":          {[]*source.Source{sourceOf(t, comparetest.Run(t, "r", 1)), unsaid}, "import --time"},
		"two known kinds":       {[]*source.Source{sourceOf(t, comparetest.Run(t, "r", 1)), service}, "service times of a closed one"},
	} {
		d, err := Compare(c.sources, &Question{})
		if err != nil {
			t.Fatal(err)
		}
		if f := figureIn(t, d, "p99"); f.Ratio.Value != nil || !strings.Contains(f.Why, c.says) {
			t.Errorf("%s: %+v", name, f)
		}
		if f := figureIn(t, d, "throughput"); f.Ratio.Value == nil {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
