package report

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

// holding is a line of members without roles; one that has away records doesn't answer.
func holding(records ...int64) bundle.TopologyLine {
	line := bundle.TopologyLine{Steady: true}
	for i, count := range records {
		m := stores.MemberState{Name: fmt.Sprintf("m-%d", i), Role: stores.MemberUnknown}
		if count != away {
			held := uint64(count)
			m.Role, m.Healthy, m.Records = stores.MemberAlike, true, &held
		}
		line.Steady = line.Steady && m.Healthy
		line.Members = append(line.Members, m)
	}
	return line
}

const away = -1

// heldBy is the line with the process of m-1, which is killed.
func heldBy(process uint64, line bundle.TopologyLine) bundle.TopologyLine {
	line.Members[1].Process = process
	return line
}

func TestWhatAKilledMemberTakesWithItIsCounted(t *testing.T) {
	const unknown = -1
	for name, c := range map[string]struct {
		observe      func(*situation)
		before, lost int64
	}{
		"it comes back empty": {func(s *situation) {
			s.observe(killedAt+300*ms, killedAt+2*sec, 250*ms, holding(310, away, 340))
			s.observe(killedAt+2*sec, 32*sec, 500*ms, holding(310, 0, 340))
		}, 350, 350},
		"clients write before the next look": {func(s *situation) {
			s.observe(killedAt+300*ms, killedAt+2*sec, 250*ms, holding(310, away, 340))
			s.observe(killedAt+2*sec, killedAt+3*sec, 500*ms, holding(310, 12, 340))
			s.observe(killedAt+3*sec, 32*sec, 500*ms, holding(310, 200, 340))
		}, 350, 338},
		// Until the injection is known to be done, it is the old process.
		"nobody saw it away": {func(s *situation) {
			s.observe(killedAt+50*ms, killedAt+150*ms, 50*ms, holding(310, 349, 340))
			s.observe(killedAt+300*ms, 32*sec, 500*ms, holding(310, 1, 340))
		}, 350, 349},
		// Kubernetes was asked to delete the pod, and its process ends a moment later.
		"the old process answers after the injection": {func(s *situation) {
			s.observe(0, killedAt+400*ms, 100*ms, heldBy(7, holding(310, 350, 340)))
			s.observe(killedAt+400*ms, killedAt+2*sec, 250*ms, holding(310, away, 340))
			s.observe(killedAt+2*sec, 32*sec, 500*ms, heldBy(8, holding(310, 3, 340)))
		}, 350, 347},
		"the next process answers before the injection is known to be done": {func(s *situation) {
			s.observe(0, killedAt+100*ms, 100*ms, heldBy(7, holding(310, 350, 340)))
			s.observe(killedAt+100*ms, killedAt+200*ms, 100*ms, heldBy(8, holding(310, 0, 340)))
			s.observe(killedAt+200*ms, 32*sec, 500*ms, heldBy(8, holding(310, 200, 340)))
		}, 350, 350},
		"it is the same process throughout, so nothing was killed": {func(s *situation) {
			s.observe(0, 32*sec, 500*ms, heldBy(7, holding(310, 350, 340)))
		}, unknown, unknown},
		"it doesn't say any more which process it is": {func(s *situation) {
			s.observe(0, killedAt+300*ms, 500*ms, heldBy(7, holding(310, 350, 340)))
			s.observe(killedAt+300*ms, 32*sec, 500*ms, holding(310, 0, 340))
		}, 350, unknown},
		"it keeps its records": {func(s *situation) {
			s.observe(killedAt+300*ms, killedAt+2*sec, 250*ms, holding(310, away, 340))
			s.observe(killedAt+2*sec, 32*sec, 500*ms, holding(310, 360, 340))
		}, 350, 0},
		"it stays away": {func(s *situation) {
			s.observe(killedAt+300*ms, 32*sec, 250*ms, holding(310, away, 340))
		}, 350, unknown},
		"members don't count": {func(s *situation) {
			s.observe(0, 32*sec, 500*ms, topologyLine("", 0, true))
		}, unknown, unknown},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSituation()
			s.plan.Store.Consensus, s.plan.Faults[0].Target = false, plan.Target{Role: plan.RoleAny}
			s.fault.LeaderBefore, s.fault.TermBefore, s.fault.Role = "", 0, plan.RoleAny
			s.observe(0, killedAt+300*ms, 500*ms, holding(310, 350, 340))
			c.observe(s)
			slices.SortFunc(s.topology, func(a, b bundle.TopologyLine) int { return cmp.Compare(a.AtUnixNanos, b.AtUnixNanos) })
			f := reportOf(t, s.build(t)).Faults[0]
			orUnknown := func(n *int64) int64 {
				if n == nil {
					return unknown
				}
				return *n
			}
			if before, lost := orUnknown(f.RecordsBefore), orUnknown(f.RecordsLost); before != c.before || lost != c.lost {
				t.Errorf("%d of %d are lost, want %d of %d", lost, before, c.lost, c.before)
			}
		})
	}
}
