package judge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

var (
	idleGenerator = bundletest.Witness{Cores: 2, Usable: 2, Own: 300, Idle: 900}
	fullGenerator = bundletest.Witness{Cores: 2, Usable: 1, Own: 970, Idle: 300}
	blindMachine  = bundletest.Witness{NoThreads: true, NoMachine: true}
)

// waiting is a second in which all operations waited for a slot.
func waiting(w bundletest.Witness) func(*bundle.SelfSecond) {
	return func(s *bundle.SelfSecond) {
		w.Tell(s)
		s.Limited, s.Queued = s.Intended, s.Intended
	}
}

// Of two workers with 20 seconds and a fault, whose window is the seconds 10 to 13 of the workload.
func TestWhoseTheWaitsAre(t *testing.T) {
	inSeconds := func(of func(*bundle.SelfSecond), from, to int64) func(int64, *bundle.SelfSecond) {
		return func(second int64, s *bundle.SelfSecond) {
			if second >= from && second <= to {
				of(s)
			}
		}
	}
	both := func(self func(int64, *bundle.SelfSecond)) func(*reporttest.Situation) {
		return func(s *reporttest.Situation) { s.Self = self }
	}
	first := func(self func(int64, *bundle.SelfSecond)) func(*reporttest.Situation) {
		return func(s *reporttest.Situation) { s.First = self }
	}
	notSaturated := func(t *testing.T, r *report.Report) {
		if w := &r.Workloads[0]; w.Saturated {
			t.Errorf("the store is said to be saturated in %d seconds", w.SaturatedSeconds)
		}
	}
	saturated := func(seconds int64) func(*testing.T, *report.Report) {
		return func(t *testing.T, r *report.Report) {
			if w := &r.Workloads[0]; !w.Saturated || w.SaturatedSeconds != seconds {
				t.Errorf("saturated %t, in %d seconds, want %d", w.Saturated, w.SaturatedSeconds, seconds)
			}
			for _, text := range []string{render.Table(r), string(render.Markdown(r)), strings.Join(render.Remarks(&r.Workloads[0]), "\n")} {
				if !strings.Contains(text, "he store was saturated: in ") {
					t.Errorf("it is not said in\n%s", text)
				}
			}
		}
	}
	judge(t, []expectation{
		{
			name:    "a generator fills its core all the time",
			change:  both(inSeconds(waiting(fullGenerator), 0, 26)),
			reasons: []string{report.GeneratorSaturated, report.GeneratorSaturated}, says: "in 20 of the 20 seconds in which operations of worker 0 waited for a slot, or a place on a connection, it had less than 10 % of its cores to spare",
			check: func(t *testing.T, r *report.Report) {
				notSaturated(t, r)
				if g := r.Workloads[0].Generator; g.JudgedSeconds != 40 || g.AchievedRate != nil || *g.CoreShare != 0.97 {
					t.Errorf("%d seconds are judged, rate %v, %v of the cores", g.JudgedSeconds, g.AchievedRate, *g.CoreShare)
				}
			},
		},
		{
			// The seconds 0 to 7 and 12 to 19, outside the fault's window, of two workers.
			name:   "a store is saturated all the time",
			change: both(inSeconds(waiting(idleGenerator), 0, 26)),
			check:  saturated(32),
		},
		{
			name: "it is in half of the time, and operations wait for places on connections",
			change: both(inSeconds(func(s *bundle.SelfSecond) {
				idleGenerator.Tell(s)
				s.Queued = s.Intended
			}, 14, 26)),
			check: saturated(16),
		},
		{
			name: "operations wait in their sessions for places on connections, while the generator fills its core",
			change: first(inSeconds(func(s *bundle.SelfSecond) {
				fullGenerator.Tell(s)
				s.Connections = &bundle.Connections{Waited: 10, WaitMicros: 1000, WaitMaxMicros: 300}
			}, 14, 26)),
			reasons: []string{report.GeneratorSaturated}, says: "in 8 of the 8 seconds",
			check: func(t *testing.T, r *report.Report) {
				g := r.Workloads[0].Generator
				if g.AchievedRate == nil || g.Connections.Waited != 80 || g.Connections.WaitedCrowded != 80 {
					t.Errorf("rate %v, connections %+v", g.AchievedRate, g.Connections)
				}
				if text := string(render.Markdown(r)); !strings.Contains(text, "80 of them while the generator had no cores to spare") {
					t.Errorf("it is not said in\n%s", text)
				}
			},
		},
		{
			name: "one worker of two is saturated, beside a store that is",
			change: func(s *reporttest.Situation) {
				both(inSeconds(waiting(idleGenerator), 0, 26))(s)
				first(inSeconds(waiting(fullGenerator), 0, 26))(s)
			},
			reasons: []string{report.GeneratorSaturated}, says: "of worker 0",
			check: saturated(16),
		},
		{
			name:   "a store pauses for a second",
			change: both(inSeconds(waiting(idleGenerator), 16, 17)),
			check:  notSaturated,
		},
		{
			name: "after a pause of the store the generator takes long for what has waited",
			change: first(func(second int64, s *bundle.SelfSecond) {
				inSeconds(waiting(idleGenerator), 16, 17)(second, s)
				inSeconds(waiting(fullGenerator), 18, 20)(second, s)
			}),
			reasons: []string{report.GeneratorSaturated}, says: "in 3 of the 5 seconds",
			check: func(t *testing.T, r *report.Report) {
				if got := r.InvalidReasons[0].Seconds; !slices.Equal(got, []int64{16, 17, 18}) {
					t.Errorf("seconds %v", got)
				}
			},
		},
		{
			// No operation is due any more, and those that waited are sent.
			name: "the generator takes long for what has waited when the last was intended",
			change: first(inSeconds(func(s *bundle.SelfSecond) {
				fullGenerator.Tell(s)
				s.Intended, s.SlotMicros = 0, bundletest.Second
			}, 18, 21)),
			reasons: []string{report.GeneratorSaturated},
		},
		{
			name: "a few operations wait while the generator is busy",
			change: first(inSeconds(func(s *bundle.SelfSecond) {
				fullGenerator.Tell(s)
				s.Limited, s.Queued = 10, 10 // of 2,500
			}, 16, 17)),
			check: notSaturated,
		},
		{
			name:   "the generator is busy, and no operation waits",
			change: both(inSeconds(fullGenerator.Tell, 0, 26)),
			check:  notSaturated,
		},
		{
			name:   "operations wait while the store is away",
			change: both(inSeconds(waiting(idleGenerator), 10, 13)),
			check:  notSaturated,
		},
		{
			name:    "the generator can't take what has waited while the store was away",
			change:  first(inSeconds(waiting(fullGenerator), 11, 13)),
			reasons: []string{report.GeneratorSaturated}, says: "in 3 of the 3 seconds",
		},
		{
			name:    "a quota stops the generator in some seconds in which operations wait",
			change:  first(inSeconds(waiting(bundletest.Witness{Cores: 2, Usable: 2, Own: 400, Idle: 1500, Throttled: 101}), 16, 17)),
			reasons: []string{report.GeneratorStarved, report.GeneratorSaturated},
		},
		{
			name:    "no machine tells anything",
			change:  both(inSeconds(waiting(blindMachine), 0, 26)),
			reasons: []string{report.NothingJudged, report.NothingJudged}, says: "operations of worker 1 waited in each second, and its machine did not tell",
			check: func(t *testing.T, r *report.Report) {
				notSaturated(t, r)
				if g := r.Workloads[0].Generator; g.JudgedSeconds != 0 || g.CoreShare != nil {
					t.Errorf("%d seconds are judged, %v of the cores", g.JudgedSeconds, g.CoreShare)
				}
			},
		},
		{
			name:   "a machine tells nothing of some seconds",
			change: first(inSeconds(waiting(blindMachine), 15, 20)),
			check: func(t *testing.T, r *report.Report) {
				if text := string(render.Markdown(r)); !strings.Contains(text, "operations of worker 0 waited in 6 of 20 seconds, and its machine did not tell") {
					t.Errorf("it is not said in\n%s", text)
				}
			},
		},
		{
			name: "no worker has a line of the measurement",
			files: func(f bundletest.Files) {
				for index := range 2 {
					name := bundletest.WorkerOf(index).File(bundle.Jsonl)
					lines := slices.DeleteFunc(slices.Collect(strings.Lines(string(f[name].Data))), func(l string) bool { return strings.Contains(l, `"second":`) })
					f.Put(name, []byte(strings.Join(lines, "")))
					f.End(name)
				}
			},
			reasons: []string{report.NothingJudged}, says: "no worker says how it fared",
		},
	})
}
