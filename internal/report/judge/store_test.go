package judge

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/read"
	"github.com/kvbench/kvbench/internal/report/topology"
	"github.com/kvbench/kvbench/internal/stores"
)

// A fault of workload a was injected at second 10; b is looked at as it begins, at second 60.
func TestAWorkloadIsJudgedByWhatFaultsBeforeItLeft(t *testing.T) {
	const begin = 60
	well := &bundle.TopologyLine{Steady: true}
	restarting := &bundle.TopologyLine{Members: []stores.MemberState{{Name: "m-0", Healthy: true}, {Name: "m-1"}}}
	parted := &bundle.TopologyLine{Members: []stores.MemberState{{Name: "m-0"}, {Name: "m-1"}}}
	voting := &bundle.TopologyLine{Members: []stores.MemberState{{Name: "m-0", Healthy: true}, {Name: "m-1", Healthy: true}}}
	seen := func(at float64, line *bundle.TopologyLine) topology.Sample {
		return topology.Sample{At: instant.Unix(at * instant.NanosPerSecond), TopologyLine: line}
	}
	injected := bundle.FaultLine{Name: "kill", Workload: "a", InjectedAfterUnixNanos: 10 * instant.NanosPerSecond}
	earlier := bundle.FaultLine{Name: "first", Workload: "a", InjectedAfterUnixNanos: 5 * instant.NanosPerSecond}
	of := func(workload string, at float64) bundle.FaultLine {
		return bundle.FaultLine{Name: "own", Workload: workload, InjectedAfterUnixNanos: int64(at * float64(instant.NanosPerSecond))}
	}
	for _, c := range []struct {
		name   string
		faults []bundle.FaultLine
		seen   topology.Topology
		says   string // "" where it isn't a reason
	}{
		{"whole again long ago", []bundle.FaultLine{injected}, topology.Topology{seen(11, restarting), seen(30, well), seen(59.9, well)}, ""},
		{"whole again just in time", []bundle.FaultLine{injected}, topology.Topology{seen(11, restarting), seen(59.9, well)}, ""},
		{"never whole again", []bundle.FaultLine{injected}, topology.Topology{seen(9, well), seen(11, restarting), seen(59.8, restarting)}, "m-1 is not well"},
		{"whole again too late", []bundle.FaultLine{injected}, topology.Topology{seen(11, restarting), seen(60.1, well)}, "m-1 is not well"},
		{"ill again, for some time", []bundle.FaultLine{injected}, topology.Topology{seen(30, well), seen(40, restarting)}, "m-1 is not well"},
		{"one answer came late", []bundle.FaultLine{injected}, topology.Topology{seen(30, well), seen(59.6, restarting)}, ""},
		{"two sides that are apart", []bundle.FaultLine{injected}, topology.Topology{seen(11, parted)}, "m-0, m-1 are not well"},
		{"members that don't agree", []bundle.FaultLine{injected}, topology.Topology{seen(11, voting)}, "don't agree on who leads"},
		{"the last fault is named", []bundle.FaultLine{injected, earlier}, topology.Topology{seen(11, restarting)}, `fault "kill" of workload "a"`},
		{"a fault of its own at its begin", []bundle.FaultLine{of("b", 60)}, topology.Topology{seen(59, well), seen(59.99, restarting)}, ""},
		{"the same by a clock that is a little behind", []bundle.FaultLine{of("b", 59.999)}, topology.Topology{seen(11, restarting)}, ""},
		{"faults of its own, after one before", []bundle.FaultLine{injected, of("b", 60)}, topology.Topology{seen(11, restarting), seen(30, well), seen(59.99, restarting)}, ""},
		{"a fault of a later workload", []bundle.FaultLine{of("c", 90)}, topology.Topology{seen(59, restarting)}, ""},
		{"a fault that was never injected", []bundle.FaultLine{{Name: "kill", Workload: "a", RequestedUnixNanos: 10 * instant.NanosPerSecond}}, topology.Topology{seen(59, restarting)}, ""},
		{"no fault: a result", nil, topology.Topology{seen(11, restarting)}, ""},
		{"nobody looked", []bundle.FaultLine{injected}, nil, ""},
		{"nobody looked any more", []bundle.FaultLine{injected}, topology.Topology{seen(11, restarting)}, "m-1 is not well"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Store(&read.Input{Faults: c.faults, Topology: c.seen}, &plan.Workload{Name: "b"}, begin*instant.NanosPerSecond)
			switch {
			case c.says == "" && len(got) > 0:
				t.Errorf("it is %+v", got)
			case c.says != "" && (len(got) != 1 || got[0].Reason != report.NotWholeAtStart || got[0].Workload != "b" || !strings.Contains(got[0].Message, c.says)):
				t.Errorf("it is %+v, want %q", got, c.says)
			}
		})
	}
}
