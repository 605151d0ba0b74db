package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
)

// topology is what the observers saw, in the order of time.
type topology []sample

// sample is one line of an observer: when, and what. Most lines say what the one before
// said, and share it.
type sample struct {
	atNanos int64
	records *memberRecords // beside the line; nil where no member tells its own
	*bundle.TopologyLine
}

// member is what the sample says of a member; nil where it says nothing.
func (s *sample) member(name string) *stores.MemberState {
	if s == nil {
		return nil
	}
	i := slices.IndexFunc(s.Members, func(m stores.MemberState) bool { return m.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Members[i]
}

// find is the first sample in [from, until) that fits; nil if there is none.
func (t topology) find(from, until int64, fits func(*sample) bool) *sample {
	for i := range t {
		at := t[i].atNanos
		if at >= until {
			return nil
		}
		if at >= from && fits(&t[i]) {
			return &t[i]
		}
	}
	return nil
}

// before is the last sample before the instant; nil if there is none.
func (t topology) before(instant int64) *sample {
	after, _ := slices.BinarySearchFunc(t, instant, func(s sample, at int64) int { return cmp.Compare(s.atNanos, at) })
	if after == 0 {
		return nil
	}
	return &t[after-1]
}

// steadyIn says that the members were seen well at the begin of [from, until), or at some time in it.
func (t topology) steadyIn(from, until int64) bool {
	before := t.before(from)
	return before != nil && before.Steady || t.find(from, until, func(l *sample) bool { return l.Steady }) != nil
}

// firstChange is the first sample in [from, until) that differs from the one before, in what may count.
func (t topology) firstChange(from, until int64, may func(before, after *sample) bool) *sample {
	previous := t.before(from)
	return t.find(from, until, func(line *sample) bool {
		changed := previous != nil && !sameTopology(previous.TopologyLine, line.TopologyLine) && may(previous, line)
		previous = line
		return changed
	})
}

// sameTopology leaves the commit indexes out: they move with every write.
func sameTopology(a, b *bundle.TopologyLine) bool {
	return a == b || a.Leader == b.Leader && a.Term == b.Term && a.Steady == b.Steady &&
		slices.EqualFunc(a.Members, b.Members, sameMember)
}

func sameMember(x, y stores.MemberState) bool {
	return x.Name == y.Name && x.Role == y.Role && x.Healthy == y.Healthy && x.Term == y.Term && x.Leader == y.Leader &&
		x.Process == y.Process
}

// electedIn is the term of a leader that was elected after the given term: the first later one that
// is seen with it until there is another leader or none. A member may tell of a leader before it
// tells of its term: etcd's is that of the last entry that it applied. Where none is seen it is the
// sample's own.
func (t topology) electedIn(elected *sample, after uint64, until int64) uint64 {
	told := t.find(elected.atNanos, until, func(l *sample) bool {
		return l.Leader != elected.Leader || l.Term > after
	})
	if told == nil || told.Leader != elected.Leader {
		return elected.Term
	}
	return told.Term
}

// widestGap is the longest time in [from, until] without a sample, and where it begins.
func (t topology) widestGap(from, until int64) (gap time.Duration, at int64) {
	previous := from
	if line := t.before(from); line != nil {
		// A line just before the interval still covers its begin.
		previous = max(line.atNanos, from-int64(maxTopologyGap))
	}
	look := func(instant int64) {
		if d := time.Duration(instant - previous); d > gap {
			gap, at = d, previous
		}
		previous = instant
	}
	for i := range t {
		if at := t[i].atNanos; at >= from && at <= until {
			look(at)
		}
	}
	look(until)
	return gap, at
}
