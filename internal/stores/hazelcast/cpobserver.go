package hazelcast

import (
	"context"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// raftGroup is the group that objects of no other one are in.
const raftGroup = "default"

// GroupSize is how many of so many members are in the raft group, as the chart sets it up: 3, 5 or 7,
// which is what Hazelcast takes. The others are there for a place that gets free, and hand requests on.
func GroupSize(nodes int) int { return min(7, (nodes-1)|1) }

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
	states, size := o.observer.Sample(ctx, timeout), GroupSize(len(o.members))
	for i, member := range o.members {
		if states[i].Role != stores.MemberUnknown {
			latest := member.tidings.latest(member.process())
			states[i] = latest.state(states[i], size)
		}
	}
	nameLeader(states, size)
	return states
}

// nameLeader is whom the members follow: the one that leads in the highest term, for those of
// that term. No metric says it. Those outside of the group hand requests on to it; they are well where
// the group has as many members as it is to have, since else one of them is to be taken in.
func nameLeader(states []stores.MemberState, size int) {
	leader, term := "", uint64(0)
	for _, state := range states {
		if state.Role == stores.MemberLeader && state.Term >= term {
			leader, term = state.Name, state.Term
		}
	}
	inside, following := 0, 0
	for _, state := range states {
		if in := state.Role == stores.MemberLeader || state.Role == stores.MemberFollower || state.Role == stores.MemberLearner; in {
			inside++
			if state.Term == term {
				following++
			}
		}
	}
	for i := range states {
		state := &states[i]
		switch {
		// A leader that has lost its majority says that it leads for a while.
		case leader != "" && state.Role == stores.MemberAlike && 2*following > size:
			state.Leader, state.Term = leader, term
			state.Healthy = state.Healthy && inside == size
		case leader != "" && state.Term == term:
			state.Leader = leader
		default:
			state.Healthy = false
		}
	}
}

// state is that of a member which is there, where the group has so many members when none is missing.
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
	inside := there.Role != stores.MemberAlike
	there.Healthy = there.Healthy && (!inside || r.role != "CANDIDATE" && r.members == whole)
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
