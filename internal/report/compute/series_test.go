package compute_test

import (
	"reflect"
	"testing"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

func TestASeriesHasTheSecondsOfAllPhases(t *testing.T) {
	series := reporttest.Report(t, reporttest.NewSituation().Build(t)).Workloads[0].Series
	if len(series) != 27 || series[0].Second != -2 || series[0].Phase != report.PhaseWarmup || series[26].Phase != report.PhaseCooldown {
		t.Fatalf("series has %d seconds: %+v", len(series), series)
	}
	silent := 0
	for _, row := range series {
		if row.OK == 0 {
			silent++
		}
		if (row.P50Micros == nil) != (row.OK == 0) || (row.P99Micros == nil) != (row.OK == 0) {
			t.Errorf("second %d has %d successes, p50 %v and p99 %v", row.Second, row.OK, row.P50Micros, row.P99Micros)
		}
	}
	if silent != 2 { // of an outage of three, which begins just after a second does
		t.Errorf("%d seconds have no success", silent)
	}
}

// The logs' rows are cut at full seconds of the clock. A row is taken for the second that most of it lies in.
func TestStartBetweenTwoSecondsShiftsRowsOnly(t *testing.T) {
	full := reporttest.Report(t, reporttest.NewSituation().Build(t)).Workloads[0].Series
	s := reporttest.NewSituation()
	s.Shift(400 * millisecond * instant.NanosPerMicro)
	r := reporttest.Report(t, s.Build(t))
	if !r.Valid {
		t.Errorf("not valid: %v", r.InvalidReasons)
	}
	bundletest.Near(t, "outage", *r.Faults[0].OutageMicros, 3*second, 0)
	bundletest.Near(t, "intended", r.Workloads[0].Intended, 20_000, 600)
	if series := r.Workloads[0].Series; !reflect.DeepEqual(series, full) {
		t.Errorf("the series is %+v, want %+v", series, full)
	}
}

// Of two workers: a bin in which both had to wait is one.
func TestEachBinInWhichTheBoundWasReachedIsCounted(t *testing.T) {
	s := reporttest.NewSituation()
	s.Answers(func(at int64) bundletest.Answer {
		return bundletest.Answer{Took: 2 * millisecond, Waited: at >= 5*second+980*millisecond && at < 6*second+210*millisecond || at < second}
	})
	s.Plan.Faults, s.Fault = nil, nil
	w := reporttest.Report(t, s.Build(t)).Workloads[0]
	for _, row := range w.Series {
		want := map[int64]int{-2: 100, 3: 2, 4: 21}[row.Second]
		if row.LimitedBins != want {
			t.Errorf("second %d: %d bins, want %d", row.Second, row.LimitedBins, want)
		}
	}
	if w.Generator.LimitedBins != 23 {
		t.Errorf("%d bins of the measurement, want 23", w.Generator.LimitedBins)
	}
}
