package compute_test

import (
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/compute"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

func TestAReportSaysHowLongEmptyingTook(t *testing.T) {
	const began = 1_700_000_000_000_000_000
	for name, c := range map[string]struct {
		planned  bool
		attempts []*bundle.Finish // nil: it told nothing
		want     int64            // µs; -1 is unknown
		totals   bool
	}{
		"nothing was emptied": {false, nil, -1, true},
		"once":                {true, []*bundle.Finish{{StartedUnixNanos: began, EndedUnixNanos: began + 2_345_678_000}}, 2_345_678, true},
		"again":               {true, []*bundle.Finish{nil, {StartedUnixNanos: began, EndedUnixNanos: began + 1000}}, -1, false},
		"nobody told":         {true, []*bundle.Finish{nil}, -1, false},
		"before it began":     {true, []*bundle.Finish{{StartedUnixNanos: began, EndedUnixNanos: began - 1}}, -1, false},
	} {
		s := reporttest.NewSituation()
		s.Workload().Reset = c.planned
		f := s.Build(t)
		for attempt, finish := range c.attempts {
			writer := bundletest.ResetOf(attempt)
			f.Put(bundle.ClaimsFile, append(f[bundle.ClaimsFile].Data, bundletest.Line(bundle.Claim{Writer: writer})...))
			if finish != nil {
				f.Put(writer.File(bundle.Jsonl), bundletest.Line(bundle.SelfLine{AtUnixNanos: began, Finish: finish}))
				f.End(writer.File(bundle.Jsonl))
			}
		}
		r, err := compute.FromBundle(f.FS())
		if err != nil {
			t.Fatal(err)
		}
		got := int64(-1)
		if micros := r.Workloads[0].ResetMicros; micros != nil {
			got = *micros
		}
		if got != c.want || (r.Totals != nil) != c.totals || !r.Valid {
			t.Errorf("%s: %d, totals %+v, %v", name, got, r.Totals, r.InvalidReasons)
		}
		if sum := r.Totals; sum != nil && sum.SumMicros != max(0, c.want)+r.Workloads[0].Loading.DurationMicros+r.Workloads[0].DurationMicros {
			t.Errorf("%s: %+v", name, sum)
		}
	}
}
