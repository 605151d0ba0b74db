package compute_test

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

// neverFrom has operations that get no slot from an instant to the end. Of those before, one in seven finds no record, and
// the rest meet a stalled leader.
func neverFrom(from int64) func(int64) bundletest.Answer {
	stalled := bundletest.Stall(reporttest.KilledAt+30*millisecond, reporttest.KilledAt+3030*millisecond)
	return func(at int64) bundletest.Answer {
		if at >= from {
			return bundletest.Answer{Never: true, Waited: true}
		}
		a := stalled(at)
		a.Absent = at/millisecond%7 == 0
		return a
	}
}

func TestEveryOperationOfTheMeasurementIsCountedOnce(t *testing.T) {
	for name, c := range map[string]struct {
		change       func(*reporttest.Situation)
		failed       int64
		neverStarted int64
	}{
		"all end": {change: func(*reporttest.Situation) {}},
		"some never start, some find no record": {
			change: func(s *reporttest.Situation) {
				s.Observe(reporttest.KilledAt+2930*millisecond, 32*second, 500*millisecond, bundletest.TopologyLine("m-2", 5, true))
				s.Answers(neverFrom(20_500 * millisecond)) // long after the members were steady
			},
			failed: 18_000 / 7, neverStarted: 1_500,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := reporttest.NewSituation()
			c.change(s)
			r := reporttest.Report(t, s.Build(t))
			if !r.Valid {
				t.Errorf("not valid: %v", r.InvalidReasons)
			}
			w := r.Workloads[0]
			bundletest.Near(t, "never started", w.NeverStarted, c.neverStarted, 200)
			bundletest.Near(t, "failed", w.Failed, c.failed, 300)
			bundletest.Near(t, "outage", *r.Faults[0].OutageMicros, 3*second, 0)
			if sum := w.Succeeded + w.Failed + w.Unknown + w.NeverStarted; sum != w.Intended {
				t.Errorf("%d operations of %d are accounted for", sum, w.Intended)
			}
			var intended, ended int64
			for _, row := range w.Series {
				if row.Phase == report.PhaseMeasurement {
					intended += row.Intended
				}
			}
			for _, op := range w.Operations {
				ended += op.Count
			}
			if intended != w.Intended || ended != w.Intended-w.NeverStarted {
				t.Errorf("%d were intended and %d never started; %d in the series, %d by operation", w.Intended, w.NeverStarted, intended, ended)
			}
			for _, text := range []string{render.Table(r), string(render.Markdown(r))} {
				if got := strings.Contains(text, " never started of "); got != (c.neverStarted > 0) {
					t.Errorf("it tells of operations that never started: %t\n%s", got, text)
				}
			}
		})
	}
}

// The measurement ends at second 22, the cool-down at second 27.
func TestResponseTimesAreCensoredWhereOperationsNeverStarted(t *testing.T) {
	for name, c := range map[string]struct {
		from     int64 // from when on no operation starts
		censored bool
	}{
		"all start":                         {from: 27 * second},
		"some never start":                  {from: 20_500 * millisecond, censored: true},
		"some never start in the cool-down": {from: 22_500 * millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			s := reporttest.NewSituation()
			s.Answers(neverFrom(c.from))
			r := reporttest.Report(t, s.Build(t))
			w := &r.Workloads[0]
			if w.ResponseTimeCensored != c.censored {
				t.Errorf("response times are censored: %t, with %d operations that never started", w.ResponseTimeCensored, w.NeverStarted)
			}
			for _, text := range []string{render.Table(r), string(render.Markdown(r)), strings.Join(render.Remarks(w), "\n")} {
				if got := strings.Contains(text, "operations never started and have no response time: the percentiles are lower bounds"); got != c.censored {
					t.Errorf("it says that percentiles are lower bounds: %t\n%s", got, text)
				}
			}
		})
	}
}

func TestTimesBeyondTheHistogramsAreReportedAndNoReason(t *testing.T) {
	for name, c := range map[string]struct {
		each, all int64 // of two workers
	}{
		"none":            {0, 0},
		"of both workers": {4, 8},
	} {
		t.Run(name, func(t *testing.T) {
			s := reporttest.NewSituation()
			s.Finish.OverRange = c.each
			r := reporttest.Report(t, s.Build(t))
			if !r.Valid || r.Workloads[0].OverRange != c.all {
				t.Errorf("valid %t for %v, %d over range, want %d", r.Valid, r.InvalidReasons, r.Workloads[0].OverRange, c.all)
			}
			for _, text := range []string{render.Table(r), string(render.Markdown(r))} {
				if got := strings.Contains(text, "8 times were above 600.000 s"); got != (c.all > 0) {
					t.Errorf("it tells of times over range: %t\n%s", got, text)
				}
			}
		})
	}
}
