package compute_test

import (
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

const (
	millisecond = bundletest.Millisecond
	second      = bundletest.Second
)

func TestAReportOfALeaderKillHasWhatItsClientsSaw(t *testing.T) {
	s := reporttest.NewSituation()
	s.Errors = []bundle.ErrorSeen{{Operation: "READ", Outcome: "unknown", Code: "DeadlineExceeded", Count: 7, Example: "deadline"}}
	r := reporttest.Report(t, s.Build(t))
	if !r.Valid || len(r.InvalidReasons) != 0 {
		t.Errorf("valid is %t for %v", r.Valid, r.InvalidReasons)
	}
	w := r.Workloads[0]
	if w.Load.Model != report.ModelOpen || w.Load.UpdateWrites != report.WritesRecord {
		t.Errorf("load is %+v", w.Load)
	}
	if l := w.Loading; l == nil || l.Records != 1000 || l.DurationMicros != 2*second || l.Throughput != 500 || l.Insert.P50Micros < 1200 {
		t.Errorf("loading is %+v", l)
	}
	bundletest.Near(t, "intended", w.Intended, 20_000, 600)
	bundletest.Near(t, "unknown", w.Unknown, 3_000, 300)
	bundletest.Near(t, "achieved rate", int64(*w.Generator.AchievedRate), 1000, 30)
	if len(w.Errors) != 1 || w.Errors[0].Count != 14 {
		t.Errorf("errors are %+v", w.Errors)
	}
	if len(w.Operations) == 0 {
		t.Error("there are no operations")
	}
	wait := report.Latency{P50Micros: millisecond, P95Micros: millisecond, P99Micros: millisecond, P999Micros: millisecond, MaxMicros: millisecond, MeanMicros: millisecond}
	for _, op := range w.Operations {
		if op.ResponseTime.P50Micros-op.ServiceTime.P50Micros < 999 {
			t.Errorf("%s %s: response time %+v, service time %+v", op.Operation, op.Outcome, op.ResponseTime, op.ServiceTime)
		}
		if *op.WaitTime != wait {
			t.Errorf("%s %s: wait %+v, all waited for 1 ms", op.Operation, op.Outcome, *op.WaitTime)
		}
	}
}

func TestAReportOfALeaderKillHasWhatTheFaultDid(t *testing.T) {
	r := reporttest.Report(t, reporttest.NewSituation().Build(t))
	if *r.Clock.BoundMicros != 100 {
		t.Errorf("the clocks' bound is %d µs", *r.Clock.BoundMicros)
	}
	f := r.Faults[0]
	bundletest.Near(t, "outage", *f.OutageMicros, 3*second, 0)
	bundletest.Near(t, "longest gap", *f.LongestGapMicros, 3*second, 0)
	if f.OutageCensored || f.LimitedByClient || !f.Effective {
		t.Errorf("fault is %+v", f)
	}
	if f.LeaderBefore != "m-1" || f.LeaderAfter != "m-2" || f.TermBefore != 4 || f.TermAfter != 5 {
		t.Errorf("leader %s → %s, term %d → %d", f.LeaderBefore, f.LeaderAfter, f.TermBefore, f.TermAfter)
	}
	if *f.EffectiveBy != report.ByOperation {
		t.Errorf("effective by %s", *f.EffectiveBy)
	}
	bundletest.Near(t, "effective", f.EffectiveAt.SinceStartMicros, 8*second+30*millisecond, 12*millisecond)
	bundletest.Near(t, "healed", f.HealedAt.SinceStartMicros, 16*second, 1)
	bundletest.Near(t, "injected after, widened by the clocks' bound", f.InjectedAt.After.SinceStartMicros, 8*second+10*millisecond-100, 1)
	bundletest.Near(t, "injected before, widened by the clocks' bound", f.InjectedAt.Before.SinceStartMicros, 8*second+200*millisecond+100, 1)
	if f.DueAt.Time != "2027-01-15T08:00:10.000000Z" {
		t.Errorf("due at %s", f.DueAt.Time)
	}
}
