package hazelcast

import (
	"context"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// raftGroup is the group that objects of no other one are in.
const raftGroup = "default"

// cpObserver asks each member whether it is there, and is told in its metrics what it is in the
// raft group.
type cpObserver struct {
	*observer
	// asked are the processes that Repair asked to be promoted. It is called by one goroutine.
	asked map[uuid]bool
}

// raft is what a member says of the raft group. The zero value is one that isn't in it.
type raft struct {
	of           uuid // the process that said it; nobody's before it has said anything
	role         string
	term, commit uint64
	members      int
}

// Sample asks all members at once. A member's metrics say what it was when they were made.
func (o *cpObserver) Sample(ctx context.Context, timeout time.Duration) []stores.MemberState {
	for _, member := range o.members {
		member.tidings.listen()
	}
	states := o.observer.Sample(ctx, timeout)
	for i, member := range o.members {
		if states[i].Role != stores.MemberUnknown {
			latest := member.tidings.latest(member.process())
			states[i] = latest.state(states[i], len(o.members))
		}
	}
	nameLeader(states)
	return states
}

// nameLeader is whom the members follow: the one that leads in the highest term, for those of
// that term. No metric says it.
func nameLeader(states []stores.MemberState) {
	leader, term := "", uint64(0)
	for _, state := range states {
		if state.Role == stores.MemberLeader && state.Term >= term {
			leader, term = state.Name, state.Term
		}
	}
	for i := range states {
		if leader != "" && states[i].Term == term {
			states[i].Leader = leader
		} else {
			states[i].Healthy = false
		}
	}
}

// state is that of a member which is there, in a group that has so many members when none is missing.
func (r *raft) state(there stores.MemberState, whole int) stores.MemberState {
	there.Term, there.Commit = r.term, r.commit
	switch r.role {
	case "LEADER":
		there.Role = stores.MemberLeader
	case "FOLLOWER", "CANDIDATE":
		there.Role = stores.MemberFollower
	case "LEARNER":
		there.Role = stores.MemberLearner
	}
	there.Healthy = there.Healthy && there.Role != stores.MemberAlike && r.role != "CANDIDATE" && r.members == whole
	return there
}

// read takes one of the group's metrics.
func (r *raft) read(m metric) {
	r.role = m.tagged("role")
	switch m.name {
	case "term":
		r.term = uint64(m.value)
	case "commitIndex":
		r.commit = uint64(m.value)
	case "memberCount":
		r.members = int(min(m.value, 1000))
	}
}
