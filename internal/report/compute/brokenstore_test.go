package compute_test

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

// The second workload loads from second 100 to 102, and starts at 200.
func TestAReportMarksAWorkloadThatBeganOnABrokenStore(t *testing.T) {
	for _, c := range []struct {
		name              string
		well              int64 // from when on
		loading, measured bool  // are they valid?
	}{
		{"whole again before it is loaded", 18 * second, true, true},
		{"whole again after it was loaded", 150 * second, false, true},
		{"whole again in the warm-up", 201 * second, false, true},
		{"whole again in the measurement", 203 * second, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := reporttest.NewSituation()
			s.Observe(reporttest.KilledAt+2930*millisecond, c.well, 500*millisecond, bundletest.TopologyLine("m-2", 5, false))
			s.Observe(c.well, 232*second, 500*millisecond, bundletest.TopologyLine("m-2", 5, true))
			next := *s.Workload()
			next.Name = "b"
			s.Plan.Workloads = append(s.Plan.Workloads, next)
			f := s.Build(t)
			addSecondWorkload(t, f, 200*second)
			r := reporttest.Report(t, f)
			if r.Valid != c.measured {
				t.Errorf("valid is %t for %+v", r.Valid, r.InvalidReasons)
			}
			for _, reason := range r.InvalidReasons {
				if reason.Reason != report.NotWholeAtStart || reason.Workload != "b" {
					t.Errorf("it isn't valid for %+v", reason)
				}
			}
			if l := r.Workloads[0].Loading; !l.Valid {
				t.Errorf("the first loading isn't valid: %+v", l.InvalidReasons)
			}
			l := r.Workloads[1].Loading
			if l.Valid != c.loading {
				t.Errorf("the second loading is valid: %t: %+v", l.Valid, l.InvalidReasons)
			}
			if !l.Valid && !strings.HasPrefix(l.InvalidReasons[0].Message, "while loading, the store was not whole again") {
				t.Errorf("it says %q", l.InvalidReasons[0].Message)
			}
		})
	}
}

// addSecondWorkload adds what the workers of a second workload, b, left, which starts so many microseconds later.
func addSecondWorkload(t *testing.T, f bundletest.Files, later int64) {
	t.Helper()
	s := reporttest.NewSituation()
	s.Shift(later * instant.NanosPerMicro)
	s.Answers(bundletest.Healthy)
	own := s.Build(t)
	for name, file := range own {
		if w, kind, ok := bundle.ParseFile(name); ok && w.Workload != "" {
			w.Workload = "b"
			f.Put(w.File(kind), file.Data)
			f.End(w.File(kind))
		}
	}
	f.Put(bundle.StartFile("b"), own[bundle.StartFile("a")].Data)
	claims := strings.ReplaceAll(string(own[bundle.ClaimsFile].Data), `"workload":"a"`, `"workload":"b"`)
	f.Put(bundle.ClaimsFile, append(f[bundle.ClaimsFile].Data, claims...))
}
