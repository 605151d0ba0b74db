package charts_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/charts"
	"github.com/kvbench/kvbench/internal/report/documents"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

// stored are the bundles of real runs whose reports are kept.
func stored(t *testing.T) map[string]fs.FS {
	t.Helper()
	folders, err := filepath.Glob("../compute/testdata/golden/*")
	if err != nil || len(folders) == 0 {
		t.Fatal(folders, err)
	}
	all := map[string]fs.FS{}
	for _, folder := range folders {
		all[filepath.Base(folder)] = reporttest.Archive(t, filepath.Join(folder, "bundle.tar.gz"))
	}
	return all
}

func made(t *testing.T, files fs.FS) (*report.Report, *charts.Charts) {
	t.Helper()
	d, err := documents.FromBundle(files)
	if err != nil {
		t.Fatal(err)
	}
	r, c := &report.Report{}, &charts.Charts{}
	if err := errors.Join(json.Unmarshal(d.Report, r), json.Unmarshal(chartsOf(t, d), c)); err != nil {
		t.Fatal(err)
	}
	return r, c
}

func chartsOf(t *testing.T, d *documents.Documents) []byte {
	t.Helper()
	document, err := d.Charts()
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func TestChartsAgreeWithTheReport(t *testing.T) {
	for name, files := range stored(t) {
		t.Run(name, func(t *testing.T) {
			r, c := made(t, files)
			for i := range r.Workloads {
				w := &r.Workloads[i]
				at := slices.IndexFunc(c.Workloads, func(c charts.Workload) bool { return c.Name == w.Name })
				if (at < 0) != (w.StartedAt == nil) {
					t.Errorf("workload %s started at %v, and its charts are at %d", w.Name, w.StartedAt, at)
				}
				if at >= 0 {
					agree(t, w, &c.Workloads[at])
				}
			}
		})
	}
}

func agree(t *testing.T, w *report.Workload, c *charts.Workload) {
	if c.StepSeconds != 1 {
		t.Fatalf("a step of %d s", c.StepSeconds)
	}
	var heat, ok, completed int64
	for _, s := range w.Series {
		step := s.Second - c.FirstSecond
		got := [...]int64{c.Counts.Intended[step], c.Counts.OK[step], c.Counts.Failed[step], c.Counts.Unknown[step]}
		if want := [...]int64{s.Intended, s.OK, s.Failed, s.Unknown}; got != want {
			t.Errorf("second %d has %v, and the report %v", s.Second, got, want)
		}
		if (s.P99Micros == nil) != (len(c.Heat.Columns[step]) == 0) {
			t.Errorf("second %d of the heat map is %v, and the report's p99 %v", s.Second, c.Heat.Columns[step], s.P99Micros)
		}
		for at := 1; at < len(c.Heat.Columns[step]); at += 2 {
			heat += c.Heat.Columns[step][at]
		}
		ok += s.OK
		if s.Phase == report.PhaseMeasurement {
			completed += c.Counts.Completed[step]
		}
	}
	if heat != ok {
		t.Errorf("the heat map has %d successes, and the report's seconds %d", heat, ok)
	}
	if completed != w.Completed {
		t.Errorf("%d operations ended in the measurement, and the report has %d", completed, w.Completed)
	}
	for _, op := range w.Operations {
		for _, curve := range c.Curves {
			if curve.Operation != op.Operation || curve.Outcome != op.Outcome {
				continue
			}
			sum := op.ServiceTime
			if curve.Time == charts.ResponseTime {
				sum = op.ResponseTime
			}
			if curve.Count != op.Count || at(curve, 99) != sum.P99Micros || at(curve, 100) != sum.MaxMicros {
				t.Errorf("%s %s %s: the curve has %d, p99 %d and max %d, and the report %d and %+v", op.Operation, op.Outcome, curve.Time,
					curve.Count, at(curve, 99), at(curve, 100), op.Count, sum)
			}
		}
	}
}

// at is the curve's value of a percentile: its own point, or the maximum where a percentile has too few operations.
func at(c charts.Curve, percentile float64) int64 {
	for _, p := range c.Points {
		if p.Percentile >= percentile {
			return p.Micros
		}
	}
	return -1
}

func TestChartsFitTheirSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../../docs/reference/charts.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, files := range stored(t) {
		d, err := documents.FromBundle(files)
		if err != nil {
			t.Fatal(err)
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(chartsOf(t, d)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(document); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheSameBundleGivesTheSameCharts(t *testing.T) {
	for name, files := range stored(t) {
		first, err := documents.FromBundle(files)
		if err != nil {
			t.Fatal(err)
		}
		again, err := documents.FromBundle(files)
		if err != nil || !bytes.Equal(chartsOf(t, first), chartsOf(t, again)) {
			t.Errorf("%s: charts differ, %v", name, err)
		}
	}
}

func TestAFaultIsShownWithItsOutage(t *testing.T) {
	r, c := made(t, stored(t)["leader-kill"])
	f := c.Workloads[0].Faults
	if len(f) != 1 {
		t.Fatalf("%d faults", len(f))
	}
	// While no series had service, nothing was served.
	var down, back report.FromMeasurement = 0, math.MaxInt64
	for _, one := range r.Faults[0].Series {
		down, back = max(down, one.DownAt.SinceStartMicros), min(back, one.BackAt.SinceStartMicros)
	}
	var intended, served int64
	for i := range f[0].Intended {
		at := f[0].FromMicros + int64(i)*f[0].BinMicros
		if at >= int64(down)+f[0].BinMicros && at+f[0].BinMicros < int64(back)-2*f[0].BinMicros {
			intended, served = intended+f[0].Intended[i], served+f[0].Served[i]
		}
	}
	if intended < 100 || served > intended/10 {
		t.Errorf("between %d and %d µs %d of %d operations were served", down, back, served, intended)
	}
	if len(c.Workloads[0].Leaders) < 2 {
		t.Errorf("leaders: %+v", c.Workloads[0].Leaders)
	}
}
