package report

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

// A fault of workload a was injected at second 10; b is looked at as it begins, at second 60.
func TestAWorkloadIsJudgedByWhatFaultsBeforeItLeft(t *testing.T) {
	const begin = 60
	well := &bundle.TopologyLine{Steady: true}
	restarting := &bundle.TopologyLine{Members: []stores.MemberState{{Name: "m-0", Healthy: true}, {Name: "m-1"}}}
	parted := &bundle.TopologyLine{Members: []stores.MemberState{{Name: "m-0"}, {Name: "m-1"}}}
	voting := &bundle.TopologyLine{Members: []stores.MemberState{{Name: "m-0", Healthy: true}, {Name: "m-1", Healthy: true}}}
	seen := func(at float64, line *bundle.TopologyLine) sample {
		return sample{int64(at * float64(second)), nil, line}
	}
	injected := bundle.FaultLine{Name: "kill", Workload: "a", InjectedAfterUnixNanos: 10 * second}
	earlier := bundle.FaultLine{Name: "first", Workload: "a", InjectedAfterUnixNanos: 5 * second}
	of := func(workload string, at float64) bundle.FaultLine {
		return bundle.FaultLine{Name: "own", Workload: workload, InjectedAfterUnixNanos: int64(at * float64(second))}
	}
	for _, c := range []struct {
		name   string
		faults []bundle.FaultLine
		seen   topology
		says   string // "" where it isn't a reason
	}{
		{"whole again long ago", []bundle.FaultLine{injected}, topology{seen(11, restarting), seen(30, well), seen(59.9, well)}, ""},
		{"whole again just in time", []bundle.FaultLine{injected}, topology{seen(11, restarting), seen(59.9, well)}, ""},
		{"never whole again", []bundle.FaultLine{injected}, topology{seen(9, well), seen(11, restarting), seen(59.8, restarting)}, "m-1 is not well"},
		{"whole again too late", []bundle.FaultLine{injected}, topology{seen(11, restarting), seen(60.1, well)}, "m-1 is not well"},
		{"ill again, for some time", []bundle.FaultLine{injected}, topology{seen(30, well), seen(40, restarting)}, "m-1 is not well"},
		{"one answer came late", []bundle.FaultLine{injected}, topology{seen(30, well), seen(59.6, restarting)}, ""},
		{"two sides that are apart", []bundle.FaultLine{injected}, topology{seen(11, parted)}, "m-0, m-1 are not well"},
		{"members that don't agree", []bundle.FaultLine{injected}, topology{seen(11, voting)}, "don't agree on who leads"},
		{"the last fault is named", []bundle.FaultLine{injected, earlier}, topology{seen(11, restarting)}, `fault "kill" of workload "a"`},
		{"a fault of its own at its begin", []bundle.FaultLine{of("b", 60)}, topology{seen(59, well), seen(59.99, restarting)}, ""},
		{"the same by a clock that is a little behind", []bundle.FaultLine{of("b", 59.999)}, topology{seen(11, restarting)}, ""},
		{"faults of its own, after one before", []bundle.FaultLine{injected, of("b", 60)}, topology{seen(11, restarting), seen(30, well), seen(59.99, restarting)}, ""},
		{"a fault of a later workload", []bundle.FaultLine{of("c", 90)}, topology{seen(59, restarting)}, ""},
		{"a fault that was never injected", []bundle.FaultLine{{Name: "kill", Workload: "a", RequestedUnixNanos: 10 * second}}, topology{seen(59, restarting)}, ""},
		{"no fault: a result", nil, topology{seen(11, restarting)}, ""},
		{"nobody looked", []bundle.FaultLine{injected}, nil, ""},
		{"nobody looked any more", []bundle.FaultLine{injected}, topology{seen(11, restarting)}, "m-1 is not well"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := judgeWhole(&Input{Faults: c.faults, Topology: c.seen}, &plan.Workload{Name: "b"}, begin*second)
			switch {
			case c.says == "" && len(got) > 0:
				t.Errorf("it is %+v", got)
			case c.says != "" && (len(got) != 1 || got[0].Reason != NotWholeAtStart || got[0].Workload != "b" || !strings.Contains(got[0].Message, c.says)):
				t.Errorf("it is %+v, want %q", got, c.says)
			}
		})
	}
}

// The second workload loads from second 100 to 102, and starts at 200.
func TestAReportMarksAWorkloadThatBeganOnABrokenStore(t *testing.T) {
	for _, c := range []struct {
		name              string
		well              int64 // from when on
		loading, measured bool  // are they valid?
	}{
		{"whole again before it is loaded", 18 * sec, true, true},
		{"whole again after it was loaded", 150 * sec, false, true},
		{"whole again in the warm-up", 201 * sec, false, true},
		{"whole again in the measurement", 203 * sec, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSituation()
			s.observe(killedAt+2930*ms, c.well, 500*ms, topologyLine("m-2", 5, false))
			s.observe(c.well, 232*sec, 500*ms, topologyLine("m-2", 5, true))
			next := *s.workload()
			next.Name = "b"
			s.plan.Workloads = append(s.plan.Workloads, next)
			f := s.build(t)
			f.followedBy(t, 200*sec)
			r := reportOf(t, f)
			if r.Valid != c.measured {
				t.Errorf("valid is %t for %+v", r.Valid, r.InvalidReasons)
			}
			for _, reason := range r.InvalidReasons {
				if reason.Reason != NotWholeAtStart || reason.Workload != "b" {
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

// followedBy adds what the workers of a second workload, b, left, which starts so much later.
func (f files) followedBy(t *testing.T, later int64) {
	t.Helper()
	s := newSituation()
	s.shift(later * micro)
	s.answers(healthy)
	own := s.build(t)
	for name, file := range own {
		if w, kind, ok := bundle.ParseFile(name); ok && w.Workload != "" {
			w.Workload = "b"
			f.put(w.File(kind), file.Data)
			f.end(w.File(kind))
		}
	}
	f.put(bundle.StartFile("b"), own[bundle.StartFile("a")].Data)
	claims := strings.ReplaceAll(string(own[bundle.ClaimsFile].Data), `"workload":"a"`, `"workload":"b"`)
	f.put(bundle.ClaimsFile, append(f[bundle.ClaimsFile].Data, claims...))
}
