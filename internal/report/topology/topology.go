// Package topology has what the observers saw of the members, in the order of time. A line that no observer can have
// written is refused, and the number of lines is bounded.
package topology

import (
	"cmp"
	"slices"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/stores"
)

// Topology is what the observers saw, in the order of time.
type Topology []Sample

// Sample is one line of an observer: when it looked, and what it saw. Most lines say the same as the one before, and
// share its value.
type Sample struct {
	At      instant.Unix
	records *memberRecords // beside the line; nil where no member tells its own
	*bundle.TopologyLine
}

// Member is what the sample says of a member; nil where it says nothing.
func (s *Sample) Member(name string) *stores.MemberState {
	if s == nil {
		return nil
	}
	i := slices.IndexFunc(s.Members, func(m stores.MemberState) bool { return m.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Members[i]
}

// Find is the first sample in [from, until) that fits; nil if there is none.
func (t Topology) Find(from, until instant.Unix, fits func(*Sample) bool) *Sample {
	for i := range t {
		at := t[i].At
		if at >= until {
			return nil
		}
		if at >= from && fits(&t[i]) {
			return &t[i]
		}
	}
	return nil
}

// Before is the last sample before the instant; nil if there is none.
func (t Topology) Before(at instant.Unix) *Sample {
	after, _ := slices.BinarySearchFunc(t, at, func(s Sample, at instant.Unix) int { return cmp.Compare(s.At, at) })
	if after == 0 {
		return nil
	}
	return &t[after-1]
}

// SteadyIn says whether the members were seen steady at the begin of [from, until), or at some time in it.
func (t Topology) SteadyIn(from, until instant.Unix) bool {
	before := t.Before(from)
	return before != nil && before.Steady || t.Find(from, until, func(l *Sample) bool { return l.Steady }) != nil
}

// FirstChange is the first sample in [from, until) that differs from the one before, in what may count.
func (t Topology) FirstChange(from, until instant.Unix, may func(before, after *Sample) bool) *Sample {
	previous := t.Before(from)
	return t.Find(from, until, func(line *Sample) bool {
		changed := previous != nil && !sameTopology(previous.TopologyLine, line.TopologyLine) && may(previous, line)
		previous = line
		return changed
	})
}

// sameTopology leaves the commit indexes out: they move with every write.
func sameTopology(a, b *bundle.TopologyLine) bool {
	return a == b || a.Leader == b.Leader && a.Term == b.Term && a.Steady == b.Steady &&
		slices.EqualFunc(a.Members, b.Members, SameMember)
}

// SameMember says whether two states of a member differ in nothing but the commit index and the number of records.
func SameMember(x, y stores.MemberState) bool {
	return x.Name == y.Name && x.Role == y.Role && x.Healthy == y.Healthy && x.Term == y.Term && x.Leader == y.Leader &&
		x.Process == y.Process
}

// ElectedIn is the term of a leader that was elected after the given term. A member may tell of a leader before it tells
// of its term: etcd tells the term of the last entry that it applied. So the term is the first later one that is seen
// with this leader, before there is another leader or none. If none is seen, it is the sample's own.
func (t Topology) ElectedIn(elected *Sample, after uint64, until instant.Unix) uint64 {
	told := t.Find(elected.At, until, func(l *Sample) bool {
		return l.Leader != elected.Leader || l.Term > after
	})
	if told == nil || told.Leader != elected.Leader {
		return elected.Term
	}
	return told.Term
}

// WidestGap is the longest time in [from, until] without a sample, and where it begins.
func (t Topology) WidestGap(from, until instant.Unix) (gap time.Duration, at instant.Unix) {
	previous := from
	if line := t.Before(from); line != nil {
		// A line just before the interval still covers its begin.
		previous = max(line.At, from.Plus(-int64(limits.MaxTopologyGap)))
	}
	look := func(next instant.Unix) {
		if d := time.Duration(next.Since(previous)); d > gap {
			gap, at = d, previous
		}
		previous = next
	}
	for i := range t {
		if at := t[i].At; at >= from && at <= until {
			look(at)
		}
	}
	look(until)
	return gap, at
}
