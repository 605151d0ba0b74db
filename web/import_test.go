package web_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/test/browser"
)

const outputs = "../internal/imported/parse/testdata/"

// importing is the page for importing, with these files chosen.
func importing(t *testing.T, files ...string) *browser.Page {
	t.Helper()
	s := newLiveServer(t, "closed-loop")
	p := browser.Browse(t, s.URL+"/#/import")
	accessible(t, p)
	p.Choose("#files", files...)
	return p
}

// written is a file with the text.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// cells are those of the table of the points, by series.
const cells = `[...document.querySelectorAll(".legend-table tbody tr")].map(r => [...r.cells].map(c => c.textContent))`

// strength is how strong the colour of the chart of points is at a place, in the canvas' pixels. The chart's own canvas isn't read, for reading slows
// it down, and the browser says so.
const strength = `((x, y, width, height) => {
	const c = document.querySelector(".points canvas");
	const copy = Object.assign(document.createElement("canvas"), { width: c.width, height: c.height }).getContext("2d", { willReadFrequently: true });
	copy.drawImage(c, 0, 0);
	return copy.getImageData(x, y, width, height).data.reduce((most, v, i) => i % 4 === 3 ? Math.max(most, v) : most, 0);
})`

// painted says that there is something within the axes of the chart of points.
const painted = `(() => { const b = document.querySelector(".points .plot").points.plot.bbox; return document.querySelector(".points .plot").points.columns.length > 0 && ` + strength + `(b.left, b.top, b.width, b.height) > 0; })()`

func TestSummariesOfOtherToolsAreShown(t *testing.T) {
	for file, want := range map[string][]string{
		"ycsb.txt":            {"ycsb", "READ", "validity not known"},
		"go-ycsb.txt":         {"go-ycsb", "READ", "validity not known"},
		"memtier.json":        {"memtier", "Gets", "validity not known"},
		"redis-benchmark.csv": {"redis-benchmark", "GET", "validity not known"},
		"k6.json":             {"k6", "validity not known"},
	} {
		t.Run(file, func(t *testing.T) {
			p := importing(t, outputs+file)
			p.Until(`document.querySelector("section table, section .warning")`)
			shown := p.Text("section")
			for _, text := range append(want, "Nobody judged whether the numbers are valid.") {
				if !strings.Contains(shown, text) {
					t.Errorf("%q isn't in %q", text, shown)
				}
			}
			if warned := p.Text("section .warning"); warned != "" {
				t.Errorf("the page warns: %q", warned)
			}
			accessible(t, p)
			quiet(t, p)
		})
	}
}

func TestRawPointsAreDrawnExactly(t *testing.T) {
	text := strings.Builder{}
	text.WriteString("READ latency raw data: op, timestamp(ms), latency(us)\n")
	for i := range 5000 {
		value := 100 + i%100
		if i == 2500 {
			value = 90_000 // one point among many
		}
		fmt.Fprintf(&text, "READ,%d,%d\n", 1_700_000_000_000+i, value)
	}
	text.WriteString("READ,17000x,5\nnonsense\n<img src=x onerror=alert(1)> latency raw data: op, timestamp(ms), latency(us)\n<img src=x onerror=alert(1)>,1700000001000,77\nREAD,17000")
	p := importing(t, written(t, "raw.txt", text.String()))
	p.Until(painted)
	if got := p.Text("section [role=status]"); got != "5\u202f001 points in 5\u202f006 lines." {
		t.Errorf("the page says %q", got)
	}
	if got := p.Text("section .warning"); got != "3 of 5\u202f006 lines are left out, for they are no points. The first one is line 5\u202f002: READ,17000x,5" {
		t.Errorf("of bad lines the page says %q", got)
	}
	rows := browser.Evaluate[[][]string](p, cells)
	// 50 times the sum from 100 to 199, less the 100 that stood there, and 90,000: 837,400 of 5,000 points.
	if got := fmt.Sprintf("%q", rows); !strings.HasPrefix(got, `[["READ" "5\u202f000" "167 µs" "5\u202f000" "167 µs" "100 µs" "90 ms" `) || rows[1][0] != "<img src=x onerror=alert(1)>" {
		t.Errorf("the figures are %s", got)
	}
	accessible(t, p)

	// The one among many is seen: its column has colour up there, and the column of another time has none.
	up := browser.Evaluate[[]int](p, `(() => { const u = document.querySelector(".points .plot").points.plot;
		const at = second => `+strength+`(Math.floor(u.valToPos(second, "x", true)), Math.round(u.valToPos(60000, "y", true)) + 3, 1, 1);
		return [at(2.5), at(3.3)]; })()`)
	if up[0] == 0 || up[1] != 0 {
		t.Errorf("at the height of the largest value the columns have the colours %v", up)
	}
	if got := browser.Evaluate[int](p, `document.querySelector(".points .plot").points.columns[0].count.reduce((a, b) => a + b)`); got != 5000 {
		t.Errorf("the columns have %d points", got)
	}

	// The largest is the point below a pointer that points at it.
	browser.Evaluate[bool](p, `(() => { const c = document.querySelector(".points .plot").points, u = c.plot;
		u.setCursor({ left: u.valToPos(2.5, "x"), top: u.valToPos(90000, "y") }); return true; })()`)
	if got := browser.Evaluate[[][]string](p, cells)[0][7]; got != "90 ms at 2.5 s" {
		t.Errorf("below the pointer is %q", got)
	}
	browser.Evaluate[bool](p, `(() => { const c = document.querySelector(".points .plot").points; c.show(c.from + 1000, c.from + 1099); return true; })()`)
	p.Until(cells + `[0][3] === "100"`)
	if got := browser.Evaluate[[][]string](p, cells)[0][3:7]; strings.Join(got, " ") != "100 150 µs 100 µs 199 µs" {
		t.Errorf("of the window the figures are %q", got)
	}
	rest := string(p.Saved(`[aria-label^="CSV of the points"]`, "raw.txt.points.csv"))
	lines := strings.Split(strings.TrimSpace(rest), "\n")
	if lines[0] != "operation,timestamp_us,latency_us" || lines[1] != "READ,1700000001000000,100" || len(lines) != 102 {
		t.Errorf("the CSV has %d lines and begins with %q", len(lines), lines[:2])
	}
	quiet(t, p)
}

func TestATimeSeriesIsDrawnBesideItsSummary(t *testing.T) {
	p := importing(t, written(t, "series.txt", `[OVERALL], RunTime(ms), 3000
[OVERALL], Throughput(ops/sec), 2000.0
[READ], Operations, 6000
[READ], AverageLatency(us), 300.0
[READ], MinLatency(us), 90
[READ], MaxLatency(us), 20000
[READ], 95thPercentileLatency(us), 500
[READ], 99thPercentileLatency(us), 900
[READ], Return=OK, 6000
[READ], 0, 250.5
[READ], 1000, 1.0E7
[READ], 2000, 349.5
`))
	p.Until(painted)
	if rows := browser.Evaluate[[][]string](p, cells); len(rows) != 1 || strings.Join(rows[0][:7], " ") != "READ 3 3.33 s 3 3.33 s 251 µs 10 s" {
		t.Errorf("the figures are %q", rows)
	}
	if got := p.Text("section table"); !strings.Contains(got, "300 µs") {
		t.Errorf("the summary is %q", got)
	}
	p.Press(".points .plot", "\uf003") // arrow right
	quiet(t, p)
}

func TestBucketsAreNoTimeSeries(t *testing.T) {
	p := importing(t, "../internal/ycsb/measurements/testdata/hdrverbose.txt")
	p.Until(`document.querySelector("section .warning")`)
	if got := p.Text("section .warning"); got != "Left out are the buckets of histograms, which are no points over time: READ, READ-FAILED." {
		t.Errorf("the page says %q", got)
	}
	quiet(t, p)
}

func TestPointsThatComeUnsortedAreSortedAndHaveCandlesticks(t *testing.T) {
	text := strings.Builder{}
	text.WriteString("operation,timestamp_us,latency_us\n")
	for i := range 1000 {
		fmt.Fprintf(&text, "READ,%d,%d\n", 1_700_000_000_000_000+int64(i*7919%1000)*1000, i*7919%1000)
	}
	p := importing(t, written(t, "go.csv", text.String()))
	p.Until(painted)
	sorted := browser.Evaluate[[]float64](p, `(() => { const s = document.querySelector(".points .plot").points.set.series[0]; return [s.times[0], s.times[999], s.values[500]]; })()`)
	if sorted[0] != 1_700_000_000_000 || sorted[1] != 1_700_000_000_999 || sorted[2] != 500 {
		t.Errorf("the points are %v", sorted)
	}
	p.Click(".points .tools button:nth-of-type(2)")
	p.Until(`document.querySelectorAll("figure.chart").length === 2 && document.querySelectorAll("figure.chart")[1].querySelector("canvas")`)
	// A step has 50 ms: the first one has the values from 0 to 49.
	steps := strings.Split(string(p.Saved(`[aria-label="CSV of Candlesticks of go.csv"]`, "Candlesticks of go.csv.csv")), "\r\n")
	if len(steps) != 22 || steps[1] != "0,0,12.25,24.5,36.75,49" {
		t.Errorf("the candlesticks are %q", steps)
	}
	accessible(t, p)
	quiet(t, p)
}

func TestALogOfHistogramsIsDrawn(t *testing.T) {
	text := "#[Logging for: READ]\n#[Histogram log format version 1.3]\n#[StartTime: 1441812279.474 (seconds since epoch), Wed Sep 09 08:24:39 PDT 2015]\n"
	for i := range 3 {
		h := hdr.NewPacked(1, 1<<20, 3)
		for value := range int64(100) {
			_ = h.RecordValue(value + int64(100*i))
		}
		encoded, err := h.Encode()
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf("%d.000,1.000,0.001,%s\n", i, encoded)
	}
	p := importing(t, written(t, "READ.hdr", text))
	p.Until(painted)
	if rows := browser.Evaluate[[][]string](p, cells); len(rows) != 4 || strings.Join(rows[3][:5], " ") != "READ max 3 3 99 µs 299 µs" {
		t.Errorf("the figures are %q", rows)
	}
	if got := p.Text("section tbody tr"); got != "READ3300150 µs149 µs284 µs296 µs299 µs" {
		t.Errorf("in all they are %q", got)
	}
	accessible(t, p)
	quiet(t, p)
}

func TestPointsThatAProgramPostsAreDrawnWhileTheyCome(t *testing.T) {
	s := newLiveServer(t, "closed-loop")
	post := func(text string, want int) {
		t.Helper()
		answer, err := http.Post(s.URL+"/points/my%20%3Cb%3E", "text/csv", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if body, _ := io.ReadAll(answer.Body); answer.StatusCode != want {
			t.Errorf("posting %q gives %s: %s", text, answer.Status, body)
		}
	}
	post("queue,1700000000000,17\n<i>depth,1700000000500,0.5\n", http.StatusOK)
	p := browser.Browse(t, s.URL+"/#/import")
	p.Until(`[...document.querySelectorAll("a")].find(a => a.textContent === "my <b>")?.click() === undefined`)
	p.Until(painted)
	if got := p.Text("h1"); got != "my <b>" {
		t.Errorf("the title is %q", got)
	}
	post("queue,1700000001000,19.5\n", http.StatusOK)
	post("queue,1700000001500,1\nqueue\n", http.StatusUnprocessableEntity)
	p.Until(cells + `[0][1] === "2"`)
	if rows := browser.Evaluate[[][]string](p, cells); strings.Join(rows[0][:7], " ") != "queue 2 18.3 2 18.3 17 19.5" || rows[1][0] != "<i>depth" {
		t.Errorf("the figures are %q", rows)
	}
	accessible(t, p)
	quiet(t, p)
}

func TestAFileThatIsNoOutputIsRefused(t *testing.T) {
	p := importing(t, written(t, "<b>x.txt", "nothing\n"))
	p.Until(`document.querySelector("section .warning")`)
	if got := p.Text("section"); !strings.Contains(got, "<b>x.txt") || !strings.Contains(got, "it looks like no output of ycsb") {
		t.Errorf("the page says %q", got)
	}
	for _, complaint := range p.Complaints() {
		if !strings.Contains(complaint, "422") {
			t.Error(complaint)
		}
	}
}
