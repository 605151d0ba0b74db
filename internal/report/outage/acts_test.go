package outage_test

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/outage"
	"github.com/kvbench/kvbench/internal/report/read"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

const (
	second  = bundletest.Second
	bracket = 100 * bundletest.Millisecond // how wide it is
	unseen  = -1
)

// act is a fault, in microseconds from the workload's start. One that has an end lasts. Several targets are joined by commas.
type act struct {
	name, target    string
	injected, ended int64
	peers           []string
}

// cut lasts, and kill doesn't.
func cut(target string, injected, ended int64) act {
	return act{"cut " + target, target, injected, ended, nil}
}

func kill(target string, injected int64) act { return act{"kill " + target, target, injected, 0, nil} }

func (a act) action() string {
	if a.ended == 0 {
		return "ContainerKill"
	}
	return "Partition"
}

func (a act) line(s *reporttest.Situation) bundle.FaultLine {
	l := bundle.FaultLine{
		Name: a.name, Workload: "a", Action: a.action(), Targets: strings.Split(a.target, ","), Peers: a.peers,
		RequestedUnixNanos: s.Nanos(a.injected), InjectedAfterUnixNanos: s.Nanos(a.injected), InjectedBeforeUnixNanos: s.Nanos(a.injected + bracket),
		LeaderBefore: "m-1", TermBefore: 4,
	}
	if len(l.Targets) == 1 {
		l.Target = a.target
	}
	if a.ended != 0 {
		l.DurationMillis = 5000
	}
	if a.ended > 0 {
		l.EndedAfterUnixNanos, l.EndedBeforeUnixNanos = s.Nanos(a.ended), s.Nanos(a.ended+bracket)
	}
	return l
}

// span is a time of the workload.
type span struct{ from, to int64 }

// seen is what the observer saw from an instant on: a leader and its term, and the members that aren't healthy.
type seen struct {
	from   int64
	leader string
	term   uint64
	away   string
}

func (s seen) line() bundle.TopologyLine {
	line := bundletest.TopologyLine(s.leader, s.term, true)
	line.Steady = s.leader != ""
	for i := range line.Members {
		if line.Members[i].Name == s.away {
			line.Members[i].Healthy, line.Steady = false, false
		}
	}
	return line
}

// faultsOf is what the report has of these faults, and the seconds in which they were at work. Operations fail while the
// service is away.
func faultsOf(t *testing.T, acts []act, away []span, observed []seen, changes ...func(*reporttest.Situation)) ([]report.Fault, []instant.Window) {
	t.Helper()
	s := reporttest.NewSituation()
	s.Scene.Rate /= 4
	s.Workload().Load.Rate /= 4
	s.Answers(func(at int64) bundletest.Answer {
		for _, one := range away {
			if at >= one.from && at < one.to {
				return bundletest.Answer{Failed: true, Took: bundletest.Millisecond}
			}
		}
		return bundletest.Healthy(at)
	})
	s.Observe(0, 32*second, second/4, seen{0, "m-1", 4, ""}.line())
	for _, one := range observed {
		s.Observe(one.from, 32*second, second/4, one.line())
	}
	for _, change := range changes {
		change(s)
	}
	s.Plan.Faults, s.Fault = nil, nil
	var lines []byte
	for _, a := range acts {
		s.Plan.Faults = append(s.Plan.Faults, plan.Fault{Name: a.name, Action: a.action(), Workload: "a", DeadlineMillis: 30_000})
		lines = append(lines, bundletest.Line(a.line(s))...)
	}
	f := s.Build(t)
	f.Put(bundle.FaultsFile, lines)
	in, err := read.Bundle(f.FS())
	if err != nil || len(in.Problems) > 0 {
		t.Fatal(err, in.Problems)
	}
	got, windows, err := outage.Faults(in, s.Workload(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return got, windows
}
