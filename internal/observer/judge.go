package observer

import (
	"slices"

	"github.com/kvbench/kvbench/internal/stores"
)

// Verdict is what the members' states together say of the store.
type Verdict struct {
	Leader string // empty when no majority agrees on one
	Term   uint64 // the leader's, as those tell who name it; without one, the highest of any member
	Steady bool
}

// Judge draws the verdict. The leader is the member that a majority of all members takes
// for the leader, whether they can be reached or not: two sides of a partition can't both
// have one. It may be dead already; its followers don't know before their election timeout.
// Where nobody is elected, it is the member that says so of itself, if one does.
//
// The term is told by those who take that leader: a member that stands for election, or knows of
// its outcome before the others, is in a later one.
//
// Steady means that all members are healthy and, where they elect a leader (consensus),
// that one of them leads and all others know it.
func Judge(consensus bool, members []stores.MemberState) Verdict {
	verdict := Verdict{Steady: len(members) > 0}
	votes := map[string]int{}
	for _, member := range members {
		verdict.Term = max(verdict.Term, member.Term)
		verdict.Steady = verdict.Steady && member.Healthy
		if member.Leader != "" {
			votes[member.Leader]++
		}
	}
	if !consensus {
		for _, member := range members {
			if member.Role != stores.MemberLeader {
				continue
			}
			if verdict.Leader != "" {
				verdict.Leader, verdict.Steady = "", false
				break
			}
			verdict.Leader = member.Name
		}
		return verdict
	}
	for name, count := range votes {
		if 2*count > len(members) {
			verdict.Leader, verdict.Term = name, termUnder(name, members)
		}
	}
	leads := func(m stores.MemberState) bool {
		return m.Name == verdict.Leader && m.Role == stores.MemberLeader
	}
	verdict.Steady = verdict.Steady && votes[verdict.Leader] == len(members) && slices.ContainsFunc(members, leads)
	return verdict
}

// termUnder is the highest term of those who take the member for the leader.
func termUnder(leader string, members []stores.MemberState) uint64 {
	var term uint64
	for _, member := range members {
		if member.Leader == leader {
			term = max(term, member.Term)
		}
	}
	return term
}

// sameTopology leaves out what moves without meaning: commit indexes, numbers of records, and
// how exactly a member could not be reached. Another process of a member is news, also where nobody
// saw it away.
func sameTopology(a, b []stores.MemberState) bool {
	return slices.EqualFunc(a, b, func(x, y stores.MemberState) bool {
		x.Commit, y.Commit = 0, 0
		x.Records, y.Records = nil, nil
		if x.Role == stores.MemberUnknown && y.Role == stores.MemberUnknown {
			x.Error, y.Error = "", ""
		}
		return x == y
	})
}
