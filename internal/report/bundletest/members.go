package bundletest

import (
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
)

// TopologyLine is what an observer writes of three members.
func TopologyLine(leader string, term uint64, steady bool) bundle.TopologyLine {
	line := bundle.TopologyLine{Leader: leader, Term: term, Steady: steady}
	for _, name := range []string{"m-0", "m-1", "m-2"} {
		m := stores.MemberState{Name: name, Role: stores.MemberFollower, Healthy: steady, Term: term, Leader: leader}
		if name == leader {
			m.Role = stores.MemberLeader
		}
		line.Members = append(line.Members, m)
	}
	return line
}

// OfPod is what a kubelet said of a member's pod so many seconds after the epoch.
func OfPod(member, pod string, seconds float64, cpuMicros, workingSetBytes int64) *bundle.UsageLine {
	return &bundle.UsageLine{Member: member, Pod: pod, AtUnixNanos: int64(seconds * 1e9), CPUMicros: &cpuMicros, WorkingSetBytes: &workingSetBytes}
}

// Told is a line in which members tell what they use.
func Told(all ...stores.Usage) *bundle.TopologyLine { return &bundle.TopologyLine{Usage: all} }

// Uses is what a member told so many seconds after the epoch.
func Uses(member string, seconds float64, cpuMicros, residentBytes int64) stores.Usage {
	return stores.Usage{Member: member, AtUnixNanos: int64(seconds * 1e9), CPUMicros: &cpuMicros, ResidentBytes: &residentBytes}
}
