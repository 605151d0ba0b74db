package page_test

import (
	"encoding/json"
	"io/fs"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/report/charts"
	"github.com/kvbench/kvbench/internal/report/documents"
	"github.com/kvbench/kvbench/internal/report/page"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

// pageOf makes the page from the bundle on.
func pageOf(t testing.TB, files fs.FS) (html []byte, c *charts.Charts) {
	t.Helper()
	made, err := documents.FromBundle(files)
	if err != nil {
		t.Fatal(err)
	}
	document, err := made.Charts()
	if err != nil {
		t.Fatal(err)
	}
	if html, err = page.Run(made.Report, document); err != nil {
		t.Fatal(err)
	}
	c = &charts.Charts{}
	if err := json.Unmarshal(document, c); err != nil {
		t.Fatal(err)
	}
	return html, c
}

func TestAPageOfTenMinutesIsSmall(t *testing.T) {
	html, c := pageOf(t, reporttest.NewLongRun(t, 600, true))
	if len(html) > 1_000_000 {
		t.Errorf("%d bytes", len(html))
	}
	t.Logf("%d bytes", len(html))
	if w := c.Workloads[0]; w.StepSeconds != 1 || w.Steps != 600 {
		t.Errorf("%d steps of %d s", w.Steps, w.StepSeconds)
	}
}

// Beyond an hour, steps of 30 s are merged: no operation is lost, and no step has both warm-up and measurement.
func TestLongRunsHaveStepsOfThirtySeconds(t *testing.T) {
	const seconds = 4000
	_, c := pageOf(t, reporttest.NewLongRun(t, seconds, true))
	w := c.Workloads[0]
	if w.StepSeconds != 30 || w.Steps != 134 || w.FirstSecond != 0 {
		t.Fatalf("%d steps of %d s from %d on", w.Steps, w.StepSeconds, w.FirstSecond)
	}
	if w.FirstStepMicros != 30_000_000 || w.LastStepMicros != seconds%30*1_000_000 {
		t.Errorf("the first step has %d µs, and the last %d", w.FirstStepMicros, w.LastStepMicros)
	}
	var intended, reads, heat int64
	for step := range w.Steps {
		intended += w.Counts.Intended[step]
		reads += w.Operations[0].Count[step]
		for i := 1; i < len(w.Heat.Columns[step]); i += 2 {
			heat += w.Heat.Columns[step][i]
		}
	}
	if intended != seconds*1000 || reads != seconds*500 || heat != seconds*1000 {
		t.Errorf("%d operations were intended, %d reads succeeded, and the heat map has %d", intended, reads, heat)
	}
	// All seconds are alike, so a step's percentile is that of each second.
	first, last := w.Operations[0].Response.P99[0], w.Operations[0].Response.P99[w.Steps-1]
	if first == nil || last == nil || *first != *last {
		t.Errorf("p99 is %v at first and %v at last", first, last)
	}
}

func BenchmarkPage(b *testing.B) {
	for name, run := range map[string]struct {
		seconds int64
		workers int
	}{"an hour of four workers": {3600, 4}, "a day of two workers": {24 * 3600, 2}} {
		b.Run(name, func(b *testing.B) {
			files := reporttest.NewLongRunOf(b, run.seconds, run.workers, true)
			for b.Loop() {
				made, err := documents.FromBundle(files)
				if err != nil {
					b.Fatal(err)
				}
				began := time.Now()
				document, err := made.Charts()
				if err != nil {
					b.Fatal(err)
				}
				html, err := page.Run(made.Report, document)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(time.Since(began).Seconds(), "s-of-page")
				b.ReportMetric(float64(len(html))/1e6, "MB-of-page")
			}
		})
	}
}
