package web_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/cli/compare/comparetest"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/page"
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/manifest"
	"github.com/kvbench/kvbench/test/browser"
)

// combined is a suite over the axes, whose runs are all valid.
func combined(name string, blocks int, axes ...manifest.Axis) *manifest.Manifest {
	m := &manifest.Manifest{Format: manifest.Format, Suite: manifest.Name{Namespace: "bench", Name: name, UID: "uid-of-" + name}, Seed: 7, Complete: true, Blocks: blocks, Axes: axes, Combinations: [][]manifest.Label{{}}}
	for _, axis := range axes {
		var all [][]manifest.Label
		for _, labels := range m.Combinations {
			for _, value := range axis.Values {
				all = append(all, slices.Concat(labels, []manifest.Label{{Axis: axis.Name, Value: value}}))
			}
		}
		m.Combinations = all
	}
	for block := range blocks {
		for combination := range m.Combinations {
			uid := fmt.Sprintf("b%dc%d", block, combination)
			m.Trials = append(m.Trials, manifest.Trial{Block: block, Combination: combination, Attempts: []manifest.Attempt{{Run: name + "-" + uid, UID: uid, Outcome: manifest.Valid}}})
		}
	}
	return m
}

// found is suite.json of the manifest. The figures of a run are those of the golden report, changed by its combination and block.
func found(t *testing.T, m *manifest.Manifest, golden string, change func(labels []manifest.Label, block int, r *report.Report)) (*findings.Report, []byte) {
	t.Helper()
	made, err := findings.Compute(m, nil, func(uid, prefix string) (*findings.Run, error) {
		var block, combination int
		if _, err := fmt.Sscanf(uid, "b%dc%d", &block, &combination); err != nil {
			return nil, err
		}
		r := comparetest.Golden(t, golden)
		r.Valid = true
		change(m.Combinations[combination], block, r)
		return findings.RunOf(r, prefix), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	document, err := made.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return made, document
}

// latencies of all successful operations are so many times the golden ones.
func latencies(r *report.Report, factor float64) {
	for i := range r.Workloads[0].Operations {
		o := &r.Workloads[0].Operations[i]
		for _, times := range []*report.Latency{o.ResponseTime, o.ServiceTime} {
			if times != nil {
				for _, micros := range []*int64{&times.P50Micros, &times.P95Micros, &times.P99Micros, &times.P999Micros} {
					*micros = int64(float64(*micros) * factor)
				}
			}
		}
	}
}

// noise of a trial, some percent, the same for the same trial.
func noise(labels []manifest.Label, block int) float64 {
	sum := block * 31
	for _, l := range labels {
		for _, c := range l.Axis + l.Value {
			sum = (sum*33 + int(c)) % 10007
		}
	}
	return 1 + 0.06*math.Sin(float64(sum))
}

// curve is a suite of two modes at five rates, the last of which the store can't take.
func curve(t *testing.T) (*findings.Report, []byte) {
	t.Helper()
	m := combined("etcd-reads", 8,
		manifest.Axis{Name: "mode", Values: []string{"linearizable", "serializable"}, Fields: []string{"/store/mode"}},
		manifest.Axis{Name: "rate", Values: []string{"500", "1000", "2000", "4000", "8000"}, Fields: []string{"/load/rate"}})
	m.Trials[11].Attempts[0] = manifest.Attempt{Run: "etcd-reads-b2-c2", UID: "x", Outcome: manifest.NotValid, Reasons: []string{"GeneratorLagged"}}
	bound, ratio, base := 0.02, 0.9, 1
	limits := manifest.Objective{Objective: plan.Objective{Metric: "p99", Operation: "READ", AtMost: &bound}, Basis: report.BasisTrials, Text: "p99 of READ at most 20 ms"}
	for c := range m.Combinations {
		limits.Subjects = append(limits.Subjects, manifest.Subject{Combination: c})
	}
	m.Objectives = []manifest.Objective{limits, {Objective: plan.Objective{Metric: "p99", Operation: "READ", AtMost: &ratio}, Basis: report.BasisTrials, Text: "p99 of READ at most 90 % of mode=linearizable, rate=1000", Subjects: []manifest.Subject{{Combination: 6, Baseline: &base}}}}
	return found(t, m, "leader-kill", func(labels []manifest.Label, block int, r *report.Report) {
		rate := number(labels[1].Value)
		most, faster := 6000.0, 1.0
		if labels[0].Value == "serializable" {
			most, faster = 7400, 0.5
		}
		n := noise(labels, block)
		w := &r.Workloads[0]
		w.Throughput = min(rate, most*n)
		w.Saturated = rate > most
		w.Intended, w.Succeeded = int64(rate*20), int64(w.Throughput*20)
		latencies(r, faster*n/(1.02-min(0.97, rate/most)))
		outage := int64(float64(*r.Faults[0].OutageMicros) * n)
		r.Faults[0].OutageMicros, r.Faults[0].OutageCensored = &outage, rate > most
		w.ResponseTimeCensored = false
	})
}

// grown is a suite of a closed loop whose throughput grows with the threads by the Universal Scalability Law.
func grown(t *testing.T) (*findings.Report, []byte) {
	t.Helper()
	m := combined("etcd-threads", 8, manifest.Axis{Name: "threads", Values: []string{"1", "2", "4", "8", "16"}, Fields: []string{"/load/threads"}})
	m.Compare.Growth = "threads"
	return found(t, m, "closed-loop", func(labels []manifest.Label, block int, r *report.Report) {
		threads := number(labels[0].Value)
		n := noise(labels, block)
		r.Workloads[0].Throughput = n * 900 * threads / (1 + 0.04*(threads-1) + 0.002*threads*(threads-1))
		latencies(r, n*(1+0.04*threads))
	})
}

func openPage(t *testing.T, html []byte, err error) *browser.Page {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, html, 0o600); err != nil {
		t.Fatal(err)
	}
	return browser.Open(t, file)
}

func openSuite(t *testing.T, document []byte) *browser.Page {
	t.Helper()
	html, err := page.Suite(document)
	return openPage(t, html, err)
}

// rowsOf are those of a chart's CSV by the first column, each with its columns by name and unit.
func rowsOf(t *testing.T, p *browser.Page, title string) map[string]map[string]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(string(p.Saved(fmt.Sprintf(`[aria-label=%q]`, "CSV of "+title), title+".csv")))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]map[string]string{}
	for _, row := range rows[1:] {
		found[row[0]] = map[string]string{}
		for i, name := range rows[0] {
			found[row[0]][name] = row[i]
		}
	}
	return found
}

// digits is how the CSV writes a number; "" for one that isn't known.
func digits(v *float64) string {
	if v == nil {
		return ""
	}
	return strings.ReplaceAll(strconv.FormatFloat(*v, 'g', -1, 64), "e-0", "e-")
}

func figureOf(t *testing.T, c *findings.Combination, metric, operation string) *findings.Metric {
	t.Helper()
	at := slices.IndexFunc(c.Metrics, func(m findings.Metric) bool { return m.Metric == metric && m.Operation == operation })
	if at < 0 {
		t.Fatalf("%s has no %s of %s", c.Name(), metric, operation)
	}
	return &c.Metrics[at]
}

// readable is a page that everybody can read: in light and dark, on a phone, and without a complaint of the browser.
func readable(t *testing.T, p *browser.Page) {
	t.Helper()
	accessible(t, p)
	p.Dark()
	accessible(t, p)
	p.Resize(380, 800)
	if wide := browser.Evaluate[int](p, `document.documentElement.scrollWidth`); wide > 380 {
		t.Errorf("on a phone of 380 the page is %d wide", wide)
	}
	accessible(t, p)
	quiet(t, p)
}

func TestASuiteIsDrawn(t *testing.T) {
	_, document := curve(t)
	p := openSuite(t, document)
	want := []string{"Throughput by rate", "p99 of READ by rate", "p99 of UPDATE by rate", "Outage by kill by rate", "p99 of READ against throughput",
		"Throughput and p99 of READ by rate", "Trials of throughput by rate", "Trials of p99 of READ by rate"}
	if got := p.Charts(); !contains(got, want) {
		t.Errorf("drawn are %q, and should be %q", got, want)
	}
	if got := p.Text(".badges"); got != "completeunknown" {
		t.Errorf("the verdicts are %q", got)
	}
	if got := p.Text(".tiles"); !strings.Contains(got, "79 of 80") {
		t.Errorf("the tiles are %q", got)
	}
	text := p.Text("main")
	for _, want := range []string{"p99 of READ at most 20 ms", "1 trial has no valid figure", "the store could not take the load of workload a in 8 trials", "mode=serializable / linearizable, rate=500"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page doesn't say %q", want)
		}
	}
	// What a ratio's interval says is in words, and each is of the right direction.
	words := browser.Evaluate[[]string](p, `[...document.querySelectorAll('[aria-label="Ratios of workload a"] tbody tr')].map(r => [r.cells[0], r.cells[1], r.cells[3]].map(c => c.textContent.replace(/.*· /, "")).join(": "))`)
	if want := []string{"mode=serializable / linearizable, rate=500: no difference shown: better", "rate=8000 / 500, mode=linearizable: better: worse"}; !contains(words, want) {
		t.Errorf("the ratios say %q", words)
	}
	readable(t, p)
}

func TestTheCSVOfASuiteHasItsFigures(t *testing.T) {
	made, document := curve(t)
	p := openSuite(t, document)
	medians, trials := rowsOf(t, p, "p99 of READ by rate"), rowsOf(t, p, "Trials of p99 of READ by rate")
	outages := rowsOf(t, p, "Outage by kill by rate")
	for i := range made.Combinations {
		c := &made.Combinations[i]
		mode, rate := c.Labels[0].Value, c.Labels[1].Value
		m := figureOf(t, c, "p99", "READ")
		for column, want := range map[string]*float64{mode + " (s)": m.Median.Value, mode + ": low (s)": m.Median.Low, mode + ": high (s)": m.Median.High} {
			if got := medians[rate][column]; got != digits(want) {
				t.Errorf("%s: %s is %q, and the report has %q", c.Name(), column, got, digits(want))
			}
		}
		values := make([]float64, len(m.Values))
		for j, v := range m.Values {
			values[j] = v.Value
		}
		for column, want := range map[string]float64{mode + " (s)": *m.Median.Value, mode + ": min (s)": slices.Min(values), mode + ": max (s)": slices.Max(values)} {
			if got := trials[rate][column]; got != digits(&want) {
				t.Errorf("%s: %s of the trials is %q, and the report has %v", c.Name(), column, got, want)
			}
		}
		o := figureOf(t, c, "outage", "")
		if got := outages[rate][mode+" (s)"]; got != digits(o.Median.Value) {
			t.Errorf("%s: the outage is %q, and the report has %q", c.Name(), got, digits(o.Median.Value))
		}
		if got := outages[rate][mode+": at least (s)"]; got != digits(o.Median.AtLeast) {
			t.Errorf("%s: the outage is at least %q, and the report has %q", c.Name(), got, digits(o.Median.AtLeast))
		}
	}
	// The intervals are in the SVG, too: a line and two ends for each of ten.
	if svg := string(p.Saved(`[aria-label="SVG of p99 of READ by rate"]`, "p99 of READ by rate.svg")); strings.Count(svg, `stroke-width="1.2"`) != 30 {
		t.Errorf("the SVG has %d lines of intervals", strings.Count(svg, `stroke-width="1.2"`))
	}
	// A click on the legend hides a line with its intervals.
	p.Click(`[aria-label^="p99 of UPDATE by rate"] + .legend button`)
	if svg := string(p.Saved(`[aria-label="SVG of p99 of UPDATE by rate"]`, "p99 of UPDATE by rate.svg")); strings.Count(svg, `stroke-width="1.2"`) != 15 || strings.Count(svg, "<path") != 1 {
		t.Errorf("with one of two lines, the SVG has %d lines of intervals, and %d lines", strings.Count(svg, `stroke-width="1.2"`), strings.Count(svg, "<path"))
	}
	quiet(t, p)
}

func TestAnotherAxisIsChosen(t *testing.T) {
	made, document := curve(t)
	p := openSuite(t, document)
	const choose = `(i, value) => { const s = document.querySelectorAll(".choices select")[i]; s.value = value; s.dispatchEvent(new Event("change")); return true; }`
	browser.Evaluate[bool](p, fmt.Sprintf(`(%s)(0, "mode")`, choose))
	p.Settle()
	if got := p.Charts(); !contains(got, []string{"Throughput by mode"}) || slices.Contains(got, "Throughput by rate") {
		t.Errorf("drawn are %q", got)
	}
	browser.Evaluate[bool](p, fmt.Sprintf(`(%s)(1, "")`, choose))
	p.Settle()
	if got := p.Charts(); !contains(got, []string{"Throughput by mode, rate=500", "Throughput by mode, rate=8000"}) {
		t.Errorf("without colours, drawn are %q", got)
	}
	// The charts of one figure have one range, so that they can be compared.
	ranges := browser.Evaluate[[]float64](p, `[...document.querySelectorAll("figure.chart")].filter(f => f.querySelector("figcaption").textContent.startsWith("Throughput by mode")).map(f => f.querySelector(".plot").plot.scales.y.max)`)
	if largest := *figureOf(t, &made.Combinations[9], "throughput", "").Median.High; len(ranges) != 5 || slices.Max(ranges) != slices.Min(ranges) || ranges[0] < largest {
		t.Errorf("the ranges end at %v, and the largest end of an interval is %v", ranges, largest)
	}
	browser.Evaluate[bool](p, `document.querySelector(".plot").dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"}))`)
	if said := p.Text(".said"); !strings.Contains(said, "mode=linearizable: median 500/s (500 … 500/s)") {
		t.Errorf("a screen reader hears %q", said)
	}
	quiet(t, p)
}

func TestGrowthIsDrawnWithItsLaw(t *testing.T) {
	made, document := grown(t)
	p := openSuite(t, document)
	if got := p.Charts(); !contains(got, []string{"Throughput of a by threads"}) {
		t.Errorf("drawn are %q", got)
	}
	law, rows := made.Growth[0].Law, rowsOf(t, p, "Throughput of a by threads")
	for _, size := range made.Growth[0].Sizes {
		row := rows[strconv.FormatFloat(size.N, 'g', -1, 64)]
		if got := row["measured (1/s)"]; got != digits(size.Throughput) {
			t.Errorf("N = %g: measured is %q, and the report has %v", size.N, got, *size.Throughput)
		}
		// The residual of the report says where the law is.
		want := *size.Throughput / (1 + *size.Residual)
		if got, _ := strconv.ParseFloat(row["law (1/s)"], 64); math.Abs(got-want) > want*1e-9 {
			t.Errorf("N = %g: the law is %v, and by the report %v", size.N, got, want)
		}
	}
	if peak := p.Text("main"); law.Peak == nil || !strings.Contains(peak, "beyond 16") {
		t.Errorf("the highest throughput is at %v, and the page doesn't say that it is beyond 16", law.Peak)
	}
	readable(t, p)
}

func TestASearchUnderWayAndASuiteWithoutFiguresAreDrawn(t *testing.T) {
	m := combined("highest", 8, manifest.Axis{Name: "mode", Values: []string{"linearizable"}}, manifest.Axis{Name: manifest.SearchAxis, Values: []string{manifest.Holds, manifest.Misses}})
	m.Trials, m.Complete = nil, false
	m.Search = &manifest.Search{Objectives: []plan.Objective{{Metric: "p99"}}, Texts: []string{"p99 of READ at most 20 ms"}, UnderWay: true, Found: []manifest.Found{
		{With: m.Combinations[0][:1], Tried: []manifest.Tried{{Rate: 100, Kept: true}, {Rate: 200, Kept: true}, {Rate: 400}}}}}
	_, document := found(t, m, "leader-kill", nil)
	p := openSuite(t, document)
	if got := p.Charts(); !slices.Equal(got, []string{"Rates tried, mode=linearizable"}) {
		t.Errorf("drawn are %q", got)
	}
	rows := rowsOf(t, p, "Rates tried, mode=linearizable")
	if rows["2"]["kept (1/s)"] != "200" || rows["2"]["missed (1/s)"] != "" || rows["3"]["missed (1/s)"] != "400" {
		t.Errorf("the CSV has %v", rows)
	}
	if text := p.Text("main"); !strings.Contains(text, "The suite is under way") || p.Text(".badges") != "under way" {
		t.Errorf("the page doesn't say that the suite is under way: %q", p.Text(".badges"))
	}
	readable(t, p)
}

func TestASuiteWithoutAxesAndWithFewTrialsIsDrawn(t *testing.T) {
	made, document := found(t, combined("template", 3), "leader-kill", func(labels []manifest.Label, block int, r *report.Report) { latencies(r, noise(labels, block)) })
	p := openSuite(t, document)
	if got := p.Charts(); !contains(got, []string{"Throughput", "p99 of READ", "Trials of p99 of READ"}) {
		t.Errorf("drawn are %q", got)
	}
	m := figureOf(t, &made.Combinations[0], "p99", "READ")
	row := rowsOf(t, p, "p99 of READ")["the template"]
	if _, has := row["median: low (s)"]; has || row["median (s)"] != digits(m.Median.Value) {
		t.Errorf("the CSV has %v, and the report %s without an interval", row, digits(m.Median.Value))
	}
	// Quartiles of three trials are half way to the middle one.
	values := []float64{m.Values[0].Value, m.Values[1].Value, m.Values[2].Value}
	slices.Sort(values)
	trials := rowsOf(t, p, "Trials of p99 of READ")["the template"]
	if got, _ := strconv.ParseFloat(trials["median: lower quartile (s)"], 64); math.Abs(got-(values[0]+values[1])/2) > 1e-9 {
		t.Errorf("the lower quartile is %v, of %v", got, values)
	}
	quiet(t, p)
}

func TestNamesWithMarkupInASuiteAreText(t *testing.T) {
	const evil = `</script><script>document.title = "owned"</script><img src=x onerror="document.title='owned'">`
	m := combined(evil, 6, manifest.Axis{Name: evil, Values: []string{evil, "=1+1"}, Fields: []string{evil}})
	m.Compare.Despite = []string{"/"}
	m.Objectives = []manifest.Objective{{Objective: plan.Objective{Metric: "throughput", AtLeast: new(float64)}, Basis: report.BasisTrials, Text: evil, Subjects: []manifest.Subject{{}}}}
	_, document := found(t, m, "leader-kill", func(_ []manifest.Label, _ int, r *report.Report) {
		r.Workloads[0].Name, r.Faults[0].Workload, r.Faults[0].Name, r.Store.Promise = evil, evil, evil, evil
	})
	p := openSuite(t, document)
	if got := p.Charts(); len(got) == 0 || !strings.HasPrefix(got[0], "Throughput by </script>") {
		t.Errorf("drawn are %q", got)
	}
	if got := browser.Evaluate[int](p, `document.querySelectorAll("img, script").length`); got != 2 {
		t.Errorf("%d images and scripts", got)
	}
	if got := p.Text("h1"); got != "bench/"+evil {
		t.Errorf("the name is %q", got)
	}
	content := browser.Evaluate[string](p, `(async () => {
		let last;
		URL.createObjectURL = blob => { last = blob; return "blob:none"; };
		HTMLAnchorElement.prototype.click = () => {};
		document.querySelector(".tools button:nth-child(2)").click();
		const csv = await last.text();
		document.querySelector(".tools button:nth-child(4)").click();
		return csv + await last.text();
	})()`)
	values, svg, _ := strings.Cut(content, "<svg")
	if svg == "" || strings.Contains(svg, "<img") || strings.Contains(svg, "<script") {
		t.Errorf("the SVG has markup of a name: %.600s", svg)
	}
	if !strings.Contains(values, `"'=1+1"`) {
		t.Errorf("the CSV has a formula: %.600s", values)
	}
	quiet(t, p)
}
