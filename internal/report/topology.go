package report

import (
	"slices"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
)

// topology is what the observers saw, in the order of time.
type topology []bundle.TopologyLine

func sortTopology(lines []bundle.TopologyLine) topology {
	slices.SortStableFunc(lines, func(a, b bundle.TopologyLine) int {
		switch {
		case a.AtUnixNanos < b.AtUnixNanos:
			return -1
		case a.AtUnixNanos > b.AtUnixNanos:
			return 1
		}
		return 0
	})
	return lines
}

// find is the first line in [from, until) that fits; nil if there is none.
func (t topology) find(from, until int64, fits func(*bundle.TopologyLine) bool) *bundle.TopologyLine {
	for i := range t {
		at := t[i].AtUnixNanos
		if at >= until {
			return nil
		}
		if at >= from && fits(&t[i]) {
			return &t[i]
		}
	}
	return nil
}

// before is the last line before the instant; nil if there is none.
func (t topology) before(instant int64) *bundle.TopologyLine {
	var last *bundle.TopologyLine
	for i := range t {
		if t[i].AtUnixNanos >= instant {
			break
		}
		last = &t[i]
	}
	return last
}

// firstChange is the first line in [from, until) that differs from the one before.
func (t topology) firstChange(from, until int64) *bundle.TopologyLine {
	previous := t.before(from)
	return t.find(from, until, func(line *bundle.TopologyLine) bool {
		changed := previous != nil && !sameTopology(previous, line)
		previous = line
		return changed
	})
}

// sameTopology leaves the commit indexes out: they move with every write.
func sameTopology(a, b *bundle.TopologyLine) bool {
	return a.Leader == b.Leader && a.Term == b.Term && a.Steady == b.Steady &&
		slices.EqualFunc(a.Members, b.Members, func(x, y stores.MemberState) bool {
			return x.Name == y.Name && x.Role == y.Role && x.Healthy == y.Healthy && x.Term == y.Term && x.Leader == y.Leader
		})
}

// widestGap is the longest time in [from, until] without a line, and where it begins.
func (t topology) widestGap(from, until int64) (gap time.Duration, at int64) {
	previous := from
	if line := t.before(from); line != nil {
		// A line just before the interval still covers its begin.
		previous = max(line.AtUnixNanos, from-int64(maxTopologyGap))
	}
	look := func(instant int64) {
		if d := time.Duration(instant - previous); d > gap {
			gap, at = d, previous
		}
		previous = instant
	}
	for i := range t {
		if at := t[i].AtUnixNanos; at >= from && at <= until {
			look(at)
		}
	}
	look(until)
	return gap, at
}
