package view

import (
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/cli/watch/frame"
)

var now = time.Unix(1_700_000_000, 0)

// measuring is a run in the middle of its measurement.
func measuring() *frame.Frame {
	whole, left := int64(60), int64(29)
	recent := []int64{0, 0, 100, 250, 400, 498, 500, 12, 498}
	return &frame.Frame{
		Time: now, Kind: "run", Namespace: "default", Name: "etcd-leader-kill", Phase: "Measuring", AgeSeconds: 72,
		Run: &frame.Run{
			Name: "etcd-leader-kill", Phase: "Measuring", Store: "etcd", Mode: "linearizable", Nodes: 3,
			Steps: []frame.Step{{Name: "accept", State: frame.Done}, {Name: "deploy", State: frame.Done}, {Name: "load", State: frame.Done}, {Name: "arm", State: frame.Done},
				{Name: "measure", State: frame.Current}, {Name: "heal", State: frame.Waiting}, {Name: "report", State: frame.Waiting}, {Name: "clean up", State: frame.Waiting}},
			Workload: "a", WorkloadNumber: 1, Workloads: 2,
			Load: &frame.Load{ElapsedSeconds: 31, DurationSeconds: &whole, LeftSeconds: &left,
				Figures: &frame.Figures{Intended: 500, Served: 498, Ended: &frame.Ended{Errors: 2, P99Micros: 12_300, Response: true}, AgeSeconds: 1, Recent: recent, RecentErrors: 731}},
			Term: 3,
			Members: []frame.Member{{Name: "etcd-0", Role: "follower", Up: true}, {Name: "etcd-1", Role: "unknown"}, {Name: "etcd-2", Role: "leader", Up: true},
				{Name: "etcd-3", Role: "follower", Up: true}},
			Faults: []frame.Fault{
				{Name: "kill", Action: "pod-kill", Workload: "a", At: "20s", State: "Injected", Targets: []string{"etcd-1"}},
				{Name: "part", Action: "partition", Workload: "b", At: "30s", State: frame.Planned},
			},
			Events: []frame.Event{
				{Time: now.Add(-10 * time.Second), Reason: "FaultInjected", Message: "fault kill was injected into etcd-1"},
				{Time: now.Add(-61 * time.Second), Warning: true, Reason: "Odd", Message: "a message that is much longer than a terminal of eighty columns is wide, so that it is cut"},
			},
		},
	}
}

const measuringScreen = `run default/etcd-leader-kill   etcd linearizable, 3 nodes   Measuring   1m12s
✓ accept  ✓ deploy  ✓ load  ✓ arm  > measure  · heal  · report  · clean up

workload a (1 of 2)   31 of 60 s, 29 s left   ██████████░░░░░░░░░░
operations/s, last second of all workers
  intended 500   served 498   response p99 12.30 ms   errors 2
  last 9 s ··▁▄▆▇█▁▇  served 0 to 500   731 errors in the last 9 s

members, term 3
  etcd-0 follower   etcd-1 unknown (down)   etcd-2 leader   etcd-3 follower

faults
  kill, pod-kill: injected, etcd-1
  part, partition at 30s of workload b: planned

events
  10s ago  FaultInjected: fault kill was injected into etcd-1
  1m1s ago  Odd: a message that is much longer than a terminal of eighty column…

q leaves`

func TestTheScreenOfARun(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(*frame.Frame)
		want   string
	}{
		{"in the middle of a measurement", func(*frame.Frame) {}, measuringScreen},
		{"no data at all", func(f *frame.Frame) { f.Phase, f.AgeSeconds, f.Run = "Pending", 0, &frame.Run{Store: "etcd", Nodes: 1} },
			"run default/etcd-leader-kill   etcd, 1 node   Pending   0s\n\nq leaves"},
		{"waiting, and both servers silent", func(f *frame.Frame) {
			f.Phase, f.Cluster, f.Results = "Queued", &frame.Silence{Seconds: 12, Trouble: "connection refused"}, &frame.Silence{Seconds: 75, Trouble: "lost\x1b[2J\nconnection"}
			f.Run = &frame.Run{Store: "etcd", Nodes: 3, Steps: []frame.Step{{Name: "accept", State: frame.Current}}, Waiting: "Queued: another run has its turn"}
			f.Missing = []string{"no events: you may not list them"}
		}, `run default/etcd-leader-kill   etcd, 3 nodes   Queued   1m12s
no answer from the API server for 12s, it is asked again: connection refused
no answer from the results server for 1m15s, it is asked again: lost [2J
connection
no events: you may not list them
> accept
Queued: another run has its turn

q leaves`},
		{"warm-up without figures", func(f *frame.Frame) {
			f.Run = &frame.Run{Store: "etcd", Nodes: 3, Workload: "a", Workloads: 1, Load: &frame.Load{ElapsedSeconds: -4}}
		}, `run default/etcd-leader-kill   etcd, 3 nodes   Measuring   1m12s

workload a   warm-up, 4 s to go
no figures: not all workers have sent a whole second lately

q leaves`},
		{"an outage in a closed loop whose end isn't known", func(f *frame.Frame) {
			f.Run = &frame.Run{Store: "redis", Nodes: 3, Workload: "a", Workloads: 1,
				Load: &frame.Load{ElapsedSeconds: 70, ClosedLoop: true, Figures: &frame.Figures{Intended: 9, Ended: &frame.Ended{Errors: 9}, Recent: []int64{0, 0}}}}
		}, `run default/etcd-leader-kill   redis, 3 nodes   Measuring   1m12s

workload a   70 s
operations/s, last second of all workers
  sent 9   served 0   p99 none   errors 9
  last 2 s ··  served 0 to 0

q leaves`},
		{"workers that send nothing more", func(f *frame.Frame) {
			f.Run.Load.Figures.AgeSeconds, f.Run.Load.ElapsedSeconds, *f.Run.Load.LeftSeconds = 12, 42, 18
			f.Run.Load.Figures.Ended.AgeSeconds, f.Run.Load.Figures.RecentErrors = 11, 0
			f.Run = &frame.Run{Store: "etcd", Nodes: 3, Workload: "a", Workloads: 1, Load: f.Run.Load, Members: f.Run.Members[:1], MembersAgeSeconds: 9}
		}, `run default/etcd-leader-kill   etcd, 3 nodes   Measuring   1m12s

workload a   42 of 60 s, 18 s left   ██████████████░░░░░░
not live: operations/s 12s ago, and nothing newer is known
  intended 500   served 498   response p99 12.30 ms   errors 2
  9 s to then ··▁▄▆▇█▁▇  served 0 to 500

members, as seen 9s ago
  etcd-0 follower

q leaves`},
		{"latencies that are older than the counts, and the measurement ends", func(f *frame.Frame) {
			f.Run.Load.Figures.Ended, f.Run.Load.ElapsedSeconds = &frame.Ended{P99Micros: 900, Errors: 2, AgeSeconds: 8}, 61
			f.Run = &frame.Run{Store: "etcd", Nodes: 3, Workload: "a", Workloads: 1, Load: f.Run.Load}
		}, `run default/etcd-leader-kill   etcd, 3 nodes   Measuring   1m12s

workload a   60 of 60 s, ending   ████████████████████
operations/s, last second of all workers
  intended 500   served 498   service p99 900 µs (8s ago)   errors 2 (8s ago)
  last 9 s ··▁▄▆▇█▁▇  served 0 to 500   731 errors in the last 9 s

q leaves`},
		{"the end of one that failed", func(f *frame.Frame) {
			f.Phase, f.Ended, f.ExitCode = "Failed", true, 1
			f.Run = &frame.Run{Store: "etcd", Nodes: 3, Steps: []frame.Step{{Name: "deploy", State: frame.Failed}, {Name: "clean up", State: frame.Done}},
				Found: []frame.Found{{Workload: "a", Throughput: 498, P99: "12.3 ms", Errors: 1, Outage: ">1.50 s", InvalidReasons: []string{"GeneratorLag"}}}}
		}, `run default/etcd-leader-kill   etcd, 3 nodes   Failed   1m12s
✗ deploy  ✓ clean up

found
  workload a   498 operations/s   p99 12.3 ms   1 error   outage >1.50 s
  not valid: GeneratorLag

q leaves`},
		{"names of wide and hostile characters", func(f *frame.Frame) {
			f.Run = &frame.Run{Store: "etcd", Nodes: 2, Waiting: "Trouble:\x1b[2J gone\nand\u202e back",
				Members: []frame.Member{{Name: strings.Repeat("成", 60), Role: "leader", Up: true}, {Name: "b\x07", Role: "follower", Up: true}}}
		}, "run default/etcd-leader-kill   etcd, 2 nodes   Measuring   1m12s\nTrouble: [2J gone and back\n\nmembers\n  " +
			strings.Repeat("成", 35) + "…\n  b follower\n\nq leaves"},
	} {
		t.Run(c.what, func(t *testing.T) {
			f := measuring()
			c.change(f)
			got := Of(f, Screen{Width: 80, Height: 24, Footer: "q leaves"})
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

const narrowScreen = `run default/etcd-leader-kill
etcd linearizable, 3 nodes   Measuring
1m12s
✓ accept  ✓ deploy  ✓ load  ✓ arm
> measure  · heal  · report  · clean up
workload a (1 of 2)
31 of 60 s, 29 s left
██████████░░░░░░░░░░
operations/s, last second of all workers
  intended 500   served 498
  response p99 12.30 ms   errors 2
  last 9 s ··▁▄▆▇█▁▇  served 0 to 500
  731 errors in the last 9 s
members, term 3
  etcd-0 follower
  etcd-1 unknown (down)   etcd-2 leader
  etcd-3 follower
faults
  kill, pod-kill: injected, etcd-1
  part, partition at 30s of workload b:…
events
  10s ago  FaultInjected: fault kill wa…
q leaves`

func TestANarrowScreenLosesNoFigure(t *testing.T) {
	if got := Of(measuring(), Screen{Width: 40, Height: 24, Footer: "q leaves"}); got != narrowScreen {
		t.Errorf("got\n%s\nwant\n%s", got, narrowScreen)
	}
}

func TestNoScreenIsLargerThanItsTerminal(t *testing.T) {
	frames := map[string]*frame.Frame{"run": measuring(), "suite": underWay(12, 30)}
	frames["run"].Run.Members = append(frames["run"].Run.Members, frame.Member{Name: strings.Repeat("成", 60)})
	for name, f := range frames {
		for _, size := range [][2]int{{80, 24}, {40, 10}, {20, 3}, {1, 1}, {200, 60}, {0, 0}, {3, 24}, {80, 1}} {
			for _, colours := range []bool{false, true} {
				text := Of(f, Screen{Width: size[0], Height: size[1], Colours: colours, Footer: "q leaves"})
				lines := strings.Split(text, "\n")
				if text != "" && len(lines) > size[1] {
					t.Errorf("%s: %d lines on %v", name, len(lines), size)
				}
				for _, line := range lines {
					if widthOf(line) > size[0] {
						t.Errorf("%s: %q is wider than %v", name, line, size)
					}
				}
				if size[1] > 0 && size[0] >= 8 && !strings.Contains(lines[len(lines)-1], "q leaves") {
					t.Errorf("%s: the last line of %v is %q", name, size, lines[len(lines)-1])
				}
			}
		}
	}
}

func TestColoursChangeNoLetter(t *testing.T) {
	for name, f := range map[string]*frame.Frame{"run": measuring(), "suite": underWay(3, 8)} {
		plain := Of(f, Screen{Width: 80, Height: 24, Footer: "q leaves"})
		coloured := Of(f, Screen{Width: 80, Height: 24, Footer: "q leaves", Colours: true})
		if strings.Contains(plain, "\x1b") || !strings.Contains(coloured, "\x1b[") {
			t.Errorf("%s: colours are where they shouldn't be, or aren't there", name)
		}
		if stripped(coloured) != plain {
			t.Errorf("%s: got\n%s\nwant\n%s", name, stripped(coloured), plain)
		}
	}
}
