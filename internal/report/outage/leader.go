package outage

import (
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/topology"
)

// concludeLeader finds the leader after the fault. A fault that hit the leader is effective only if another leader or a
// new term followed, unless the leader is always the same member, or the fault lasts: a leader may live with that.
func (f *injection) concludeLeader(t topology.Topology, consensus bool, after, effective, until instant.Unix) {
	succeeded := func(l *topology.Sample) bool {
		return l.Leader != "" && (l.Leader != f.out.LeaderBefore || l.Term > f.out.TermBefore)
	}
	f.out.Effective = true
	var next *topology.Sample
	if consensus && f.hitLeader() {
		next = t.Find(after, until, succeeded)
		f.out.Effective = next != nil || f.action.Lasts
	}
	if next == nil {
		next = t.Find(effective, until, func(l *topology.Sample) bool { return l.Leader != "" })
	}
	if next != nil {
		f.out.LeaderAfter, f.out.TermAfter = next.Leader, next.Term
		if consensus && next.Leader != f.out.LeaderBefore {
			f.out.TermAfter = t.ElectedIn(next, f.out.TermBefore, until)
		}
	}
}
