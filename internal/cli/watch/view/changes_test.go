package view

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/cli/watch/frame"
)

func TestTheFirstLinesSayWhereARunStands(t *testing.T) {
	want := []string{
		"  1m12s  run default/etcd-leader-kill   etcd linearizable, 3 nodes   Measuring",
		"  1m12s  Measuring workload a (1 of 2)",
		"  1m12s  fault kill, pod-kill: injected, etcd-1",
		"  1m12s  members: etcd-0 follower, etcd-1 unknown (down), etcd-2 leader, etcd-3 follower",
		"  1m12s  event of 1m1s ago  Odd: a message that is much longer than a terminal of eighty columns is wide, so that it is cut",
		"  1m12s  event of 10s ago  FaultInjected: fault kill was injected into etcd-1",
		"  1m12s  workload a (1 of 2): 31 of 60 s, 29 s left; operations/s: intended 500, served 498, response p99 12.30 ms, errors 2",
	}
	if got := Changes(nil, measuring()); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestALineForEachChangeOfARun(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(*frame.Frame)
		want   []string
	}{
		{"nothing but the time", func(f *frame.Frame) {
			f.AgeSeconds++
			f.Time = f.Time.Add(time.Second)
			f.Run.Load.ElapsedSeconds++
			f.Run.Load.Figures.Served = 12
		}, nil},
		{"ten seconds", func(f *frame.Frame) {
			f.AgeSeconds += 10
			f.Run.Load.ElapsedSeconds, *f.Run.Load.LeftSeconds = 41, 19
			f.Run.Load.Figures.AgeSeconds = 11
		}, []string{"1m22s  workload a (1 of 2): 41 of 60 s, 19 s left; not live, 11s ago; operations/s: intended 500, served 498, response p99 12.30 ms, errors 2"}},
		{"another phase", func(f *frame.Frame) {
			f.Run.Phase, f.Run.Load, f.Run.Waiting = "Failing", nil, "MeasurementLost:\x1b[2J worker 1\nis gone"
		}, []string{"1m12s  Failing workload a (1 of 2): MeasurementLost: [2J worker 1 is gone"}},
		{"another leader", func(f *frame.Frame) {
			f.Run.Members[0].Role = "leader"
			f.Run.Members[2] = frame.Member{Name: "etcd-2", Role: "unknown"}
		}, []string{"1m12s  member etcd-0 leader", "1m12s  member etcd-2 unknown (down)"}},
		{"an observer that says nothing", func(f *frame.Frame) { f.Run.Members = nil }, nil},
		{"a fault is healed, and another one is still planned", func(f *frame.Frame) { f.Run.Faults[0].State = "Healed" }, []string{"1m12s  fault kill, pod-kill: healed, etcd-1"}},
		{"an event", func(f *frame.Frame) {
			f.Run.Events = append([]frame.Event{{Time: now, Reason: "New", Message: "a\tthing"}}, f.Run.Events...)
		}, []string{"1m12s  event of 0s ago  New: a thing"}},
		{"a report", func(f *frame.Frame) { f.Run.Found = []frame.Found{{Workload: "a", Throughput: 498, P99: "12 ms"}} },
			[]string{"1m12s  found: workload a, 498 operations/s, p99 12 ms, 0 errors"}},
		{"a server that is silent", func(f *frame.Frame) { f.Cluster = &frame.Silence{Seconds: 4, Trouble: "connection refused"} },
			[]string{"1m12s  no answer from the API server, it is asked again: connection refused"}},
		{"something that is missing", func(f *frame.Frame) { f.Missing = []string{"no events: you may not list them"} }, []string{"1m12s  no events: you may not list them"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			later := measuring()
			c.change(later)
			got := Changes(measuring(), later)
			for i := range got {
				got[i] = strings.TrimLeft(got[i], " ")
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestAServerThatAnswersAgainIsSaid(t *testing.T) {
	silent, longer := measuring(), measuring()
	silent.Results, longer.Results = &frame.Silence{Seconds: 4, Trouble: "x"}, &frame.Silence{Seconds: 40, Trouble: "y"}
	if got := Changes(silent, longer); len(got) != 0 {
		t.Errorf("a silence that goes on: %q", got)
	}
	if got := Changes(longer, measuring()); !slices.Equal(got, []string{"  1m12s  the results server answers again"}) {
		t.Errorf("%q", got)
	}
}

func TestALineForEachChangeOfASuite(t *testing.T) {
	later := underWay(3, 8)
	later.Suite.Rows[1].Cells[1] = frame.Cell{State: frame.TrialValid, Run: "s-b2-c2-r1"}
	later.Suite.Rows[2].Cells[1] = frame.Cell{State: frame.TrialRunning, Run: "s-b2-c3"}
	later.Suite.Done++
	later.Suite.Left--
	later.Suite.Run = &frame.Run{Name: "s-b2-c3", Phase: "Deploying", Members: []frame.Member{{Name: "m", Role: "leader", Up: true}},
		Events: []frame.Event{{Time: now, Reason: "Planned", Message: "x"}, {Time: now, Warning: true, Reason: "Odd", Message: "y"}}}
	want := []string{
		"  12m3s  trial mode=linearizable, rate=200 of block 2: valid",
		"  12m3s  trial mode=linearizable, rate=300 of block 2: running",
		"  12m3s  5 of 24 trials done, 19 left, about 14m to go, 1 not valid, 3 made again",
		"  12m3s  run s-b2-c3: Deploying",
		"  12m3s  run s-b2-c3: event of 0s ago  Odd: y",
	}
	if got := Changes(underWay(3, 8), later); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	first := Changes(nil, underWay(3, 8))
	if len(first) != 4 || !strings.HasSuffix(first[0], "suite default/etcd-reads   Running") || !strings.Contains(first[1], "4 of 24 trials done") {
		t.Errorf("the first lines are %q", first)
	}
}
