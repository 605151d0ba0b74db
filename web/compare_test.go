package web_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/cli/compare/comparetest"
	"github.com/kvbench/kvbench/internal/cli/compare/comparison"
	"github.com/kvbench/kvbench/internal/cli/compare/render"
	"github.com/kvbench/kvbench/internal/cli/compare/source"
	"github.com/kvbench/kvbench/internal/imported"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/charts"
	"github.com/kvbench/kvbench/internal/report/page"
	"github.com/kvbench/kvbench/internal/suite/manifest"
	"github.com/kvbench/kvbench/test/browser"
)

// side is what is compared: a document under its argument, and the charts of a run.
type side struct {
	argument         string
	document, charts []byte
}

// comparedPage is the page of a comparison, and the comparison.
func comparedPage(t *testing.T, q *comparison.Question, sides ...side) (*comparison.Document, []byte) {
	t.Helper()
	made, c := compared(t, q, sides...)
	html, err := page.Comparison(c)
	if err != nil {
		t.Fatal(err)
	}
	return made, html
}

// compared is a comparison, and what its page is made of.
func compared(t *testing.T, q *comparison.Question, sides ...side) (*comparison.Document, *page.Compared) {
	t.Helper()
	var sources []*source.Source
	c := &page.Compared{Title: "comparison"}
	for _, s := range sides {
		read, err := source.Read(s.argument, s.document)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, read)
		c.Sides = append(c.Sides, page.Side{Report: read.Report, Charts: s.charts})
	}
	made, err := comparison.Compare(sources, q)
	if err != nil {
		t.Fatal(err)
	}
	c.Comparison, c.Summary, c.Caution = made, render.Summary(made), render.Caution(made)
	return made, c
}

// runSide is a stored run under another name, with changes of its report.
func runSide(t *testing.T, golden, name string, changes ...func(*report.Report)) side {
	t.Helper()
	r := stored(t, golden)
	r.report.Run.Name, r.report.Run.UID, r.report.Valid, r.report.InvalidReasons = name, "uid-of-"+name, true, nil
	for _, change := range changes {
		change(&r.report)
	}
	document, err := r.report.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return side{name, document, r.chartsJSON}
}

func openComparison(t *testing.T, q *comparison.Question, sides ...side) (*comparison.Document, *browser.Page) {
	t.Helper()
	made, html := comparedPage(t, q, sides...)
	return made, openPage(t, html, nil)
}

// alignedAt chooses what the runs are aligned at.
func alignedAt(p *browser.Page, value string) {
	browser.Evaluate[bool](p, fmt.Sprintf(`(s => { s.value = %q; s.dispatchEvent(new Event("change")); return s.value === %q; })(document.querySelector(".choices select"))`, value, value))
	p.Settle()
}

// later is a run whose fault is so many seconds later, in the report alone.
func later(seconds report.FromMeasurement) func(*report.Report) {
	return func(r *report.Report) {
		at := *r.Faults[0].InjectedAt
		at.After.SinceStartMicros += seconds * 1_000_000
		at.Before.SinceStartMicros += seconds * 1_000_000
		r.Faults[0].InjectedAt = &at
	}
}

func number(text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err) // a test that reads no number is wrong
	}
	return n
}

func TestRunsAreDrawnOverOneAxis(t *testing.T) {
	_, p := openComparison(t, &comparison.Question{}, runSide(t, "leader-kill", "before"), runSide(t, "leader-kill", "after", later(3)))
	want := []string{"Ratios", "Throughput", "Failed or unknown", "p99 of READ (response time)", "p99 of UPDATE (response time)",
		"Percentiles of READ (response time)", "Percentiles of UPDATE (service time)", "Outage by fault"}
	if got := p.Charts(); !contains(got, want) {
		t.Errorf("drawn are %q, and should be %q", got, want)
	}
	if got := p.Text(".badges"); got != "comparable" {
		t.Errorf("the verdict is %q", got)
	}
	r := stored(t, "leader-kill")
	w := r.charts.Workloads[0]
	p99 := w.Operations[slices.IndexFunc(w.Operations, func(o charts.Operation) bool { return o.Operation == "READ" })].Response.P99
	rows := rowsOf(t, p, "p99 of READ (response time)")
	for step, value := range p99 {
		want := ""
		if value != nil {
			want = strconv.FormatInt(*value, 10)
		}
		if got := rows[strconv.Itoa(int(w.FirstSecond)+step)]; got["before (µs)"] != want || got["after (µs)"] != want {
			t.Errorf("second %d is %v, and the charts have %s", int(w.FirstSecond)+step, got, want)
		}
	}
	alignedAt(p, "first")
	// The step of the fault is 0: it is second 8 of the one run, and second 11 of the other.
	throughput, completed := rowsOf(t, p, "Throughput"), w.Counts.Completed
	for at, seconds := range map[string][2]int{"0": {8, 11}, "-3": {5, 8}, "4": {12, 15}} {
		got := throughput[at]
		before, after := strconv.FormatInt(completed[seconds[0]-int(w.FirstSecond)], 10), strconv.FormatInt(completed[seconds[1]-int(w.FirstSecond)], 10)
		if got["before (1/s)"] != before || got["after (1/s)"] != after {
			t.Errorf("at %s s are %v, and should be %s and %s", at, got, before, after)
		}
	}
	// The run whose fault was later has ended earlier on this axis, and its line with it.
	ends := regexp.MustCompile(`H([\d.]+)" fill="none"`).FindAllStringSubmatch(string(p.Saved(`[aria-label="SVG of Throughput"]`, "Throughput.svg")), -1)
	if len(ends) != 2 || number(ends[1][1]) > number(ends[0][1])-30 {
		t.Errorf("the lines end at %q", ends)
	}
	painted := browser.Evaluate[[]int](p, `(u => {
		const { left, top, width, height } = u.bbox;
		const counts = [0, 0];
		const end = Math.round(u.valToPos(14, "x", true)) + 2;
		const image = u.ctx.getImageData(left, top, width, height).data;
		for (let i = 0; i < image.length; i += 4) {
			const ofAfter = image[i] > 180 && image[i + 1] < 100 && image[i + 2] < 40;
			if (ofAfter) counts[left + (i / 4) % width > end ? 1 : 0]++;
		}
		return counts;
	})(document.querySelector(".plot[aria-label^=Throughput]").plot)`)
	if painted[0] < 100 || painted[1] > 0 {
		t.Errorf("before its end the line has %d points, and beyond it %d", painted[0], painted[1])
	}
	if got := p.Text(".marks"); !strings.Contains(got, "before: kill (ContainerKill) at 8.01 s of its measurement, at which it is aligned") || !strings.Contains(got, "after: kill (ContainerKill) at 11.01 s") {
		t.Errorf("the marks are %q", got)
	}
	readable(t, p)
}

func TestRunsThatAreNotComparableAreDrawnWithTheReason(t *testing.T) {
	_, p := openComparison(t, &comparison.Question{}, runSide(t, "leader-kill", "before"), runSide(t, "two-faults", "after"))
	if got := p.Text(".badges"); got != "not comparable" {
		t.Errorf("the verdict is %q", got)
	}
	if got := p.Text(".warning"); !strings.Contains(got, "/workloads/0/load/rate is 100, and 200 in the base") {
		t.Errorf("the reason is %q", got)
	}
	outages := rowsOf(t, p, "Outage by fault")
	if got := outages["kill"]; got["before (µs)"] != "4974728" || got["after (µs)"] != "" || got["after: at least (µs)"] != "3041495" {
		t.Errorf("the outages by kill are %v", got)
	}
	// Only one run has the fault later, and the page says so.
	alignedAt(p, "fault 1")
	if got := p.Text("main"); !strings.Contains(got, "Without such a fault, and so not in these charts: before.") {
		t.Error("the page doesn't say that a run lacks the fault")
	}
	if rows := rowsOf(t, p, "Throughput"); rows["0"] == nil || rows["0"]["after (1/s)"] == "" {
		t.Errorf("the row at the fault is %v", rows["0"])
	}
	readable(t, p)
}

func TestARunWithoutChartsHasItsFiguresAlone(t *testing.T) {
	bare := runSide(t, "leader-kill", "/results/after/report.json")
	bare.charts = nil
	_, p := openComparison(t, &comparison.Question{}, runSide(t, "leader-kill", "/results/before/report.json"), bare)
	if got := p.Text("h1"); got != "after against before" {
		t.Errorf("the title is %q", got)
	}
	if text := p.Text("main"); !strings.Contains(text, "Nothing is kept that charts could be drawn from: after.") {
		t.Error("the page doesn't say that a run has no charts")
	}
	if got := p.Charts(); !contains(got, []string{"Throughput", "Outage by fault"}) {
		t.Errorf("drawn are %q", got)
	}
	// What charts can't be drawn from takes nothing else of the page.
	bare.charts = []byte(`{"format": 1, "workloads": [{"name": "a"}]}`)
	_, p = openComparison(t, &comparison.Question{}, runSide(t, "leader-kill", "before"), bare)
	if text := p.Text("main"); !strings.Contains(text, "The charts over time can't be drawn") || !contains(p.Charts(), []string{"Ratios", "Outage by fault"}) {
		t.Errorf("with charts that are broken, drawn are %q", p.Charts())
	}
	quiet(t, p)
}

func TestSuitesAreComparedByTheRatiosOfTheirPairs(t *testing.T) {
	_, main := comparetest.Suite{Name: "main", Stores: []string{"etcd", "redis"}, Blocks: 8}.Documents(t)
	_, nightly := comparetest.Suite{Name: "nightly", Stores: []string{"etcd", "redis", "valkey"}, Blocks: 8, Factor: func(store string, _ int) float64 {
		return map[string]float64{"etcd": 1.1, "redis": 0.8, "valkey": 1}[store]
	}}.Documents(t)
	made, p := openComparison(t, &comparison.Question{Margin: 0.05}, side{argument: "baseline/main", document: main}, side{argument: "suite/nightly", document: nightly})
	rows := rowsOf(t, p, "Ratio of throughput")
	for _, pair := range made.Compared[0].Pairs {
		at := slices.IndexFunc(pair.Figures, func(f comparison.Figure) bool { return f.Metric == "throughput" })
		ratio, row := pair.Figures[at].Ratio, rows[manifest.NameOf(pair.Combination)]
		if row["suite/nightly"] != digits(ratio.Value) || row["suite/nightly: low"] != digits(ratio.Low) || row["suite/nightly: high"] != digits(ratio.High) {
			t.Errorf("%s: the CSV has %v, and the comparison %s (%s … %s)", manifest.NameOf(pair.Combination), row, digits(ratio.Value), digits(ratio.Low), digits(ratio.High))
		}
	}
	if got := p.Text(".badges"); got != "comparablefailed" {
		t.Errorf("the verdicts are %q", got)
	}
	// The worst is first.
	if got := p.Text(".cells tbody tr"); !strings.Contains(got, "store=redis") || !strings.Contains(got, "worse") || !strings.Contains(got, "Failed") {
		t.Errorf("the first row is %q", got)
	}
	if got := p.Text(".note ul"); got != "Only in suite/nightly: store=valkey" {
		t.Errorf("without a counterpart is %q", got)
	}
	readable(t, p)
}

func TestImportedFiguresAreMarked(t *testing.T) {
	made, p := openComparison(t, &comparison.Question{}, runSide(t, "leader-kill", "before"), side{argument: "./old.json", document: comparetest.Imported(t, imported.Response, 0.5)})
	if got := p.Text(".badges"); got != "imported" {
		t.Errorf("the verdict is %q", got)
	}
	if got := p.Text("h1"); got != "./old.json (imported from ycsb) against before" {
		t.Errorf("the title is %q", got)
	}
	ratio := made.Compared[0].Pairs[0].Figures[slices.IndexFunc(made.Compared[0].Pairs[0].Figures, func(f comparison.Figure) bool { return f.Metric == "throughput" })].Ratio
	if got := rowsOf(t, p, "Ratios")["throughput"]["./old.json (imported from ycsb)"]; got != digits(ratio.Value) {
		t.Errorf("the CSV has %q, and the comparison %s", got, digits(ratio.Value))
	}
	quiet(t, p)
}

func TestNamesWithMarkupInAComparisonAreText(t *testing.T) {
	const evil = `</script><script>document.title = "owned"</script><img src=x onerror="document.title='owned'">`
	change := func(r *report.Report) {
		r.Store.Name, r.Workloads[0].Name, r.Faults[0].Workload, r.Faults[0].Name = evil, evil, evil, evil
	}
	one, other := runSide(t, "leader-kill", evil, change), runSide(t, "leader-kill", evil+"2", change)
	_, p := openComparison(t, &comparison.Question{}, one, other)
	if got := browser.Evaluate[int](p, `document.querySelectorAll("img, script").length`); got != 2 {
		t.Errorf("%d images and scripts", got)
	}
	if got := p.Text("h1"); got != evil+"2 against "+evil {
		t.Errorf("the title is %q", got)
	}
	if got := p.Charts(); !contains(got, []string{"Outage by fault"}) {
		t.Errorf("drawn are %q", got)
	}
	quiet(t, p)
}
