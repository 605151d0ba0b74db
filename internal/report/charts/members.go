package charts

import (
	"math"

	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/report/read"
	"github.com/kvbench/kvbench/internal/report/topology"
	"github.com/kvbench/kvbench/internal/report/usage"
)

// maxStates bounds the states of a member that are told: a store that flaps for hours has more. The first ones are told.
const maxStates = 5000

// members has what was seen of the members, from the workload's start to its end.
func members(in *read.Input, s *steps) []Member {
	listed := []Member{}
	for i := range in.Plan.Store.Members {
		name := in.Plan.Store.Members[i].Name
		listed = append(listed, Member{Name: name, States: states(in.Topology, s.clock, name), Usage: usages(&in.Usages, s, name)})
	}
	return listed
}

// watched calls each for the samples of the workload, with the one before it that tells how the workload began. A gap
// tells that nobody looked from at on.
func watched(t topology.Topology, clock instant.Clock, each func(at instant.Unix, s *topology.Sample)) {
	from, until := clock.Start, clock.Unix(clock.Recorded)
	latest := from
	if before := t.Before(from); before != nil && from.Since(before.At) <= int64(limits.MaxTopologyGap) {
		each(from, before)
	} else {
		each(from, nil)
	}
	for i := range t {
		s := &t[i]
		if s.At < from {
			continue
		}
		if s.At >= until {
			break
		}
		if s.At.Since(latest) > int64(limits.MaxTopologyGap) {
			each(latest.Plus(int64(limits.MaxTopologyGap)), nil)
		}
		each(s.At, s)
		latest = s.At
	}
	if until.Since(latest) > int64(limits.MaxTopologyGap) {
		each(latest.Plus(int64(limits.MaxTopologyGap)), nil)
	}
}

func states(t topology.Topology, clock instant.Clock, name string) []State {
	listed := []State{}
	watched(t, clock, func(at instant.Unix, s *topology.Sample) {
		next := State{AtMicros: sinceMeasurement(clock, at)}
		if m := s.Member(name); m != nil {
			next.Role, next.Healthy, next.Known = m.Role, m.Healthy, true
		}
		if len(listed) == maxStates {
			next = State{AtMicros: next.AtMicros} // nobody tells what comes after
		}
		listed = appendChange(listed, next, func(a, b State) bool { return a.Role == b.Role && a.Healthy == b.Healthy && a.Known == b.Known })
	})
	return listed
}

// appendChange adds what isn't the same as the last one, up to one more than maxStates.
func appendChange[T any](listed []T, next T, same func(a, b T) bool) []T {
	if n := len(listed); n > maxStates || n > 0 && same(listed[n-1], next) {
		return listed
	}
	return append(listed, next)
}

func leaders(t topology.Topology, clock instant.Clock) []Leader {
	listed := []Leader{}
	watched(t, clock, func(at instant.Unix, s *topology.Sample) {
		if s == nil {
			return
		}
		next := Leader{AtMicros: sinceMeasurement(clock, at), Member: s.Leader, Term: s.Term, Steady: s.Steady}
		listed = appendChange(listed, next, func(a, b Leader) bool { return a.Member == b.Member && a.Term == b.Term && a.Steady == b.Steady })
	})
	return listed
}

// usages are the samples of the workload by source, one of each step at most. A source that told nothing is left out.
func usages(u *usage.Sources, s *steps, name string) []Usage {
	listed := []Usage{}
	for _, source := range []struct {
		name    string
		samples *usage.Samples
	}{{"store", &u.Members}, {"kubelet", &u.Pods}, {"volume", &u.Volumes}} {
		points := source.samples.Course(name, s.clock.Start, s.clock.Unix(s.clock.Recorded), func(at instant.Unix) int { step, _ := s.ofUnix(at); return step })
		if len(points) == 0 {
			continue
		}
		one := Usage{Source: source.name}
		for _, p := range points {
			one.AtMicros = append(one.AtMicros, sinceMeasurement(s.clock, p.At))
			one.Cores, one.CollectorShare = append(one.Cores, shortened(p.Cores)), append(one.CollectorShare, shortened(p.CollectorShare))
			one.ResidentBytes = append(one.ResidentBytes, p.ResidentBytes)
			one.WorkingSetBytes = append(one.WorkingSetBytes, p.WorkingSetBytes)
			one.DataBytes = append(one.DataBytes, p.DataBytes)
		}
		listed = append(listed, one)
	}
	return listed
}

// rounded has four digits behind the point, so that the digits are the same everywhere.
func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }

func shortened(x *float64) *float64 {
	if x == nil {
		return nil
	}
	short := rounded(*x)
	return &short
}
