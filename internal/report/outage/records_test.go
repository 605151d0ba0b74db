package outage_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/reporttest"
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
		observe      func(*reporttest.Situation)
		before, lost int64
	}{
		"it comes back empty": {func(s *reporttest.Situation) {
			s.Observe(reporttest.KilledAt+300*bundletest.Millisecond, reporttest.KilledAt+2*bundletest.Second, 250*bundletest.Millisecond, holding(310, away, 340))
			s.Observe(reporttest.KilledAt+2*bundletest.Second, 32*bundletest.Second, 500*bundletest.Millisecond, holding(310, 0, 340))
		}, 350, 350},
		"clients write before the next look": {func(s *reporttest.Situation) {
			s.Observe(reporttest.KilledAt+300*bundletest.Millisecond, reporttest.KilledAt+2*bundletest.Second, 250*bundletest.Millisecond, holding(310, away, 340))
			s.Observe(reporttest.KilledAt+2*bundletest.Second, reporttest.KilledAt+3*bundletest.Second, 500*bundletest.Millisecond, holding(310, 12, 340))
			s.Observe(reporttest.KilledAt+3*bundletest.Second, 32*bundletest.Second, 500*bundletest.Millisecond, holding(310, 200, 340))
		}, 350, 338},
		// Until the injection is known to be done, it is the old process.
		"nobody saw it away": {func(s *reporttest.Situation) {
			s.Observe(reporttest.KilledAt+50*bundletest.Millisecond, reporttest.KilledAt+150*bundletest.Millisecond, 50*bundletest.Millisecond, holding(310, 349, 340))
			s.Observe(reporttest.KilledAt+300*bundletest.Millisecond, 32*bundletest.Second, 500*bundletest.Millisecond, holding(310, 1, 340))
		}, 350, 349},
		// Kubernetes was asked to delete the pod, and its process ends a moment later.
		"the old process answers after the injection": {func(s *reporttest.Situation) {
			s.Observe(0, reporttest.KilledAt+400*bundletest.Millisecond, 100*bundletest.Millisecond, heldBy(7, holding(310, 350, 340)))
			s.Observe(reporttest.KilledAt+400*bundletest.Millisecond, reporttest.KilledAt+2*bundletest.Second, 250*bundletest.Millisecond, holding(310, away, 340))
			s.Observe(reporttest.KilledAt+2*bundletest.Second, 32*bundletest.Second, 500*bundletest.Millisecond, heldBy(8, holding(310, 3, 340)))
		}, 350, 347},
		"the next process answers before the injection is known to be done": {func(s *reporttest.Situation) {
			s.Observe(0, reporttest.KilledAt+100*bundletest.Millisecond, 100*bundletest.Millisecond, heldBy(7, holding(310, 350, 340)))
			s.Observe(reporttest.KilledAt+100*bundletest.Millisecond, reporttest.KilledAt+200*bundletest.Millisecond, 100*bundletest.Millisecond, heldBy(8, holding(310, 0, 340)))
			s.Observe(reporttest.KilledAt+200*bundletest.Millisecond, 32*bundletest.Second, 500*bundletest.Millisecond, heldBy(8, holding(310, 200, 340)))
		}, 350, 350},
		"it is the same process throughout, so nothing was killed": {func(s *reporttest.Situation) {
			s.Observe(0, 32*bundletest.Second, 500*bundletest.Millisecond, heldBy(7, holding(310, 350, 340)))
		}, unknown, unknown},
		"it doesn't say any more which process it is": {func(s *reporttest.Situation) {
			s.Observe(0, reporttest.KilledAt+300*bundletest.Millisecond, 500*bundletest.Millisecond, heldBy(7, holding(310, 350, 340)))
			s.Observe(reporttest.KilledAt+300*bundletest.Millisecond, 32*bundletest.Second, 500*bundletest.Millisecond, holding(310, 0, 340))
		}, 350, unknown},
		"it keeps its records": {func(s *reporttest.Situation) {
			s.Observe(reporttest.KilledAt+300*bundletest.Millisecond, reporttest.KilledAt+2*bundletest.Second, 250*bundletest.Millisecond, holding(310, away, 340))
			s.Observe(reporttest.KilledAt+2*bundletest.Second, 32*bundletest.Second, 500*bundletest.Millisecond, holding(310, 360, 340))
		}, 350, 0},
		"it stays away": {func(s *reporttest.Situation) {
			s.Observe(reporttest.KilledAt+300*bundletest.Millisecond, 32*bundletest.Second, 250*bundletest.Millisecond, holding(310, away, 340))
		}, 350, unknown},
		"members don't count": {func(s *reporttest.Situation) {
			s.Observe(0, 32*bundletest.Second, 500*bundletest.Millisecond, bundletest.TopologyLine("", 0, true))
		}, unknown, unknown},
	} {
		t.Run(name, func(t *testing.T) {
			s := reporttest.NewSituation()
			s.Plan.Store.Consensus, s.Plan.Faults[0].Target = false, plan.Target{Role: plan.RoleAny}
			s.Fault.LeaderBefore, s.Fault.TermBefore, s.Fault.Role = "", 0, plan.RoleAny
			s.Observe(0, reporttest.KilledAt+300*bundletest.Millisecond, 500*bundletest.Millisecond, holding(310, 350, 340))
			c.observe(s)
			slices.SortFunc(s.Topology, func(a, b bundle.TopologyLine) int { return cmp.Compare(a.AtUnixNanos, b.AtUnixNanos) })
			f := reporttest.Report(t, s.Build(t)).Faults[0]
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
