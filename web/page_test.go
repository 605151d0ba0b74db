package web_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/charts"
	"github.com/kvbench/kvbench/internal/report/documents"
	"github.com/kvbench/kvbench/internal/report/page"
	"github.com/kvbench/kvbench/internal/report/reporttest"
	"github.com/kvbench/kvbench/test/browser"
)

// run is a stored run with its documents.
type run struct {
	report     report.Report
	charts     charts.Charts
	reportJSON []byte
	chartsJSON []byte
}

func stored(t *testing.T, name string) *run {
	t.Helper()
	made, err := documents.FromBundle(reporttest.Archive(t, filepath.Join("../internal/report/compute/testdata/golden", name, "bundle.tar.gz")))
	if err != nil {
		t.Fatal(err)
	}
	r := &run{reportJSON: made.Report}
	if r.chartsJSON, err = made.Charts(); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(r.reportJSON, &r.report); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(r.chartsJSON, &r.charts); err != nil {
		t.Fatal(err)
	}
	return r
}

func open(t *testing.T, reportJSON, chartsJSON []byte) *browser.Page {
	t.Helper()
	html, err := page.Run(reportJSON, chartsJSON)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, html, 0o600); err != nil {
		t.Fatal(err)
	}
	return browser.Open(t, file)
}

func quiet(t *testing.T, p *browser.Page) {
	t.Helper()
	if all := p.Complaints(); len(all) > 0 {
		t.Errorf("the browser complains: %s", strings.Join(all, "; "))
	}
}

// accessible runs axe's rules of WCAG 2.1, A and AA.
func accessible(t *testing.T, p *browser.Page) {
	t.Helper()
	rules, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatalf("%v: run `make page`", err)
	}
	found := browser.Evaluate[[]string](p, string(rules)+`;axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}).then(
		result => result.violations.map(v => v.id + ": " + v.help + " at " + v.nodes.map(n => n.target.join(" ") + " " + (n.any[0]?.message ?? "")).join(", ")))`)
	for _, violation := range found {
		t.Error(violation)
	}
}

func TestARunWithAFaultIsDrawn(t *testing.T) {
	r := stored(t, "leader-kill")
	p := open(t, r.reportJSON, r.chartsJSON)
	want := []string{"Throughput", "Response time of READ", "Response time of UPDATE", "Heat map of response time", "Members", "Errors",
		"Percentiles of response time", "Percentiles of service time", "Around " + r.report.Faults[0].Name}
	if got := p.Charts(); !contains(got, want) {
		t.Errorf("drawn are %q, and should be %q", got, want)
	}
	if got := p.Text(".badges"); got != "valid" {
		t.Errorf("the verdict is %q", got)
	}
	// The figures are the report's.
	read := r.report.Workloads[0].Operations[0]
	if got := p.Text("table tbody tr"); !strings.HasPrefix(got, "READresponse") || !strings.Contains(got, thousands(read.Count)) {
		t.Errorf("the first line of latencies is %q, and the report has %d", got, read.Count)
	}
	readable(t, p)
}

// thousands writes a number as the page does.
func thousands(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf("%s\u202f%03d", thousands(n/1000), n%1000)
}

func contains(got, want []string) bool {
	return !slices.ContainsFunc(want, func(one string) bool { return !slices.Contains(got, one) })
}

func TestOtherRunsAreDrawn(t *testing.T) {
	for _, name := range []string{"closed-loop", "two-faults"} {
		t.Run(name, func(t *testing.T) {
			r := stored(t, name)
			p := open(t, r.reportJSON, r.chartsJSON)
			if got := p.Charts(); !contains(got, []string{"Throughput"}) {
				t.Errorf("drawn are %q", got)
			}
			valid := map[bool]string{true: "valid", false: "not valid"}[r.report.Valid]
			if got := p.Text(".badges"); got != valid {
				t.Errorf("the verdict is %q", got)
			}
			if got := p.Text(".warning"); !r.report.Valid && !strings.Contains(got, r.report.InvalidReasons[0].Message) {
				t.Errorf("the reason is %q", got)
			}
			accessible(t, p)
			quiet(t, p)
		})
	}
}

func TestTheCSVHasTheReportsFigures(t *testing.T) {
	r := stored(t, "leader-kill")
	p := open(t, r.reportJSON, r.chartsJSON)
	rows, err := csv.NewReader(strings.NewReader(string(p.Saved(`[aria-label="CSV of Throughput"]`, "Throughput.csv")))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	series := r.report.Workloads[0].Series
	if len(rows) != len(series)+1 {
		t.Fatalf("%d rows, and the report has %d seconds", len(rows)-1, len(series))
	}
	for i, second := range series {
		want := []string{strconv.FormatInt(second.Second, 10), strconv.FormatInt(second.Intended, 10)}
		failed := strconv.FormatInt(second.Failed+second.Unknown, 10)
		if got := rows[i+1]; !slices.Equal(got[:2], want) || got[3] != failed {
			t.Errorf("second %d is %q, and the report has %v, with %s that failed or are unknown", second.Second, got, want, failed)
		}
	}
	if svg := string(p.Saved(`[aria-label="SVG of Throughput"]`, "Throughput.svg")); !strings.HasPrefix(svg, "<svg") || strings.Count(svg, "<path") != 3 {
		t.Errorf("the SVG has %d lines", strings.Count(svg, "<path"))
	}
	rows, err = csv.NewReader(strings.NewReader(string(p.Saved(`[aria-label="CSV of Percentiles of response time"]`, "Percentiles of response time.csv")))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	points := r.charts.Workloads[0].Curves[0].Points
	for i, point := range points[:len(points)-1] { // the maximum has no place on the axis
		if got := rows[i+1]; got[0] != strconv.FormatFloat(point.Percentile, 'f', -1, 64) || got[1] != strconv.FormatInt(point.Micros, 10) {
			t.Errorf("the CSV of percentiles has %q, and the charts %v", got, point)
		}
	}
	// Members tell what they use more seldom than once a second: the line goes over what isn't known.
	if svg := string(p.Saved(`[aria-label="SVG of Memory of members"]`, "Memory of members.svg")); !regexp.MustCompile(`<path d="M[^"]*L`).MatchString(svg) {
		t.Error("the SVG of the memory has no line")
	}
	if png := p.Saved(`[aria-label="PNG of Throughput"]`, "Throughput.png"); !strings.HasPrefix(string(png), "\x89PNG") {
		t.Error("the PNG is none")
	}
	quiet(t, p)
}

// shown is what the chart with the number shows of its x axis.
func shown(p *browser.Page, chart int) []float64 {
	return browser.Evaluate[[]float64](p, fmt.Sprintf(`(u => [u.scales.x.min, u.scales.x.max])(document.querySelectorAll(".plot")[%d].plot)`, chart))
}

func TestChartsZoomTogetherAndTheKeyboardDoesIt(t *testing.T) {
	r := stored(t, "leader-kill")
	p := open(t, r.reportJSON, r.chartsJSON)
	all := shown(p, 0)
	p.Press(".plot", "+")
	if zoomed, other := shown(p, 0), shown(p, 1); zoomed[1]-zoomed[0] >= (all[1]-all[0])*0.6 || !slices.Equal(zoomed, other) {
		t.Errorf("of %v, the first chart shows %v and the next %v", all, zoomed, other)
	}
	p.Press(".plot", "0")
	if back := shown(p, 1); !slices.Equal(back, all) {
		t.Errorf("all of %v is %v again", all, back)
	}
	browser.Evaluate[bool](p, `document.querySelector(".plot").dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"}))`)
	if said := p.Text(".said"); !strings.Contains(said, "intended") || !strings.Contains(said, "served") {
		t.Errorf("a screen reader hears %q", said)
	}
	// A click on the legend hides a line.
	p.Click(".legend button")
	if browser.Evaluate[bool](p, `document.querySelector(".plot").plot.series[1].show`) {
		t.Error("the line is still shown")
	}
	quiet(t, p)
}

func TestAReportWithMarkupOrOfAnotherVersionIsText(t *testing.T) {
	r := stored(t, "leader-kill")
	const evil = `</script><script>document.title = "owned"</script><img src=x onerror="document.title='owned'">`
	r.report.Run.Name, r.report.Format = evil, 99
	r.report.Valid, r.report.InvalidReasons = false, []report.Reason{{Reason: evil, Message: evil}}
	r.report.Workloads[0].Name, r.report.Store.Name = evil, evil
	document, err := r.report.JSON()
	if err != nil {
		t.Fatal(err)
	}
	w := &r.charts.Workloads[0]
	w.Name, w.Members[0].Name, w.Errors = evil, evil, []charts.Error{{Operation: evil, Outcome: evil, Code: evil, Step: []int{1}, Count: []int64{1}}}
	drawn, err := r.charts.JSON()
	if err != nil {
		t.Fatal(err)
	}
	withCharts := open(t, document, drawn)
	if got := withCharts.Charts(); !contains(got, []string{"Throughput", "Errors", "Members"}) {
		t.Errorf("drawn are %q", got)
	}
	if got := browser.Evaluate[int](withCharts, `document.querySelectorAll("img, script").length`); got != 2 {
		t.Errorf("%d images and scripts", got)
	}
	if svg := string(withCharts.Saved(`[aria-label="SVG of Errors"]`, "Errors.svg")); strings.Contains(svg, "<img") || strings.Contains(svg, "<script") {
		t.Error("the SVG has markup of a code")
	}
	quiet(t, withCharts)

	p := open(t, document, nil)
	if got := browser.Evaluate[string](p, `document.title`); !strings.Contains(got, "</script>") {
		t.Errorf("the title is %q", got)
	}
	if got := p.Text("h1"); !strings.HasSuffix(got, "/"+evil) {
		t.Errorf("the name is %q", got)
	}
	text := p.Text("main")
	for _, want := range []string{"format 99", "Nothing is kept that charts could be drawn from", "not valid"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page doesn't say %q", want)
		}
	}
	quiet(t, p)
}

func TestASeedHasAllItsDigits(t *testing.T) {
	r := stored(t, "closed-loop")
	r.report.Seed = 7384512345678901234
	r.report.Run.Name = `"seed":1234567890123456789` // is text, and stays so
	document, err := r.report.JSON()
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, document, nil)
	if got := p.Text("main"); !strings.Contains(got, "7384512345678901234") {
		t.Error("the seed is shown with other digits")
	}
	if got := p.Text("h1"); !strings.HasSuffix(got, `/"seed":1234567890123456789`) {
		t.Errorf("the name is %q", got)
	}
	quiet(t, p)
}
