package judge_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

func TestTheGeneratorIsJudged(t *testing.T) {
	judge(t, []expectation{
		{
			// Three of some 128 of each second.
			name:    "2 % are sent after a quarter of a second",
			change:  late(3, limits.MaxLagMicros+1000),
			reasons: []string{report.RateNotAchieved, report.GeneratorLag, report.GeneratorLag}, says: "were sent at most 250ms late outside fault windows, less than 99 %",
		},
		{
			name: "late sends are counted over the measurement",
			change: func(s *reporttest.Situation) {
				s.Self = func(second int64, self *bundle.SelfSecond) { self.Late = 1 + second }
			},
			check: func(t *testing.T, r *report.Report) { // of two workers, the seconds 2 to 21
				if got := r.Workloads[0].Generator.Late; got != 2*(3+22)*20/2 {
					t.Errorf("%d late", got)
				}
			},
		},
		{
			name:   "less is sent while operations wait for a slot: the store's delay",
			change: everySecond(func(s *bundle.SelfSecond) { s.Sent, s.Limited = s.Intended/2, 100 }),
		},
		{
			name:   "less is sent during the outage",
			change: seconds(func(s *bundle.SelfSecond) { s.Sent = 0 }, 10, 11, 12),
		},
		{
			// Two runs of judged seconds of two workers, with 135 operations: one more or less may be due in each.
			name:   "at a low rate, a run of judged seconds has one operation less",
			change: atBorders(1),
		},
		{
			name:    "it has two less",
			change:  atBorders(2),
			reasons: []string{report.RateNotAchieved}, says: "were intended",
		},
		{
			name:    "the pacer fell behind the plan",
			change:  func(s *reporttest.Situation) { s.Paced = nineTenths },
			reasons: []string{report.RateNotAchieved}, says: "were intended",
		},
		{
			name: "a trace has no rate to fall behind",
			change: func(s *reporttest.Situation) {
				s.Paced = nineTenths
				replay(s)
			},
			check: func(t *testing.T, r *report.Report) {
				if text, want := string(render.Markdown(r)), "(trace of 9 requests, times × 0.04)"; !strings.Contains(text, want) {
					t.Errorf("%q lacks %q", text, want)
				}
			},
		},
		{
			name: "2 % of a trace are sent after a quarter of a second",
			change: func(s *reporttest.Situation) {
				late(3, limits.MaxLagMicros+1000)(s)
				replay(s)
			},
			reasons: []string{report.RateNotAchieved, report.GeneratorLag, report.GeneratorLag}, says: "were sent",
		},
		{
			name:   "few late sends are forgiven", // 40 of 5,000
			change: late(10, 2*limits.MaxLagP99Micros, 7, 15),
			check: func(t *testing.T, r *report.Report) {
				lag := r.Workloads[0].Generator.SendLag
				bundletest.Near(t, "lag p50", lag.P50Micros, 300, 1)
				bundletest.Near(t, "lag p99", lag.P99Micros, 300, 1)
				bundletest.Near(t, "lag max", lag.MaxMicros, 2*limits.MaxLagP99Micros, 20)
			},
		},
		{
			name:    "more are not", // 100
			change:  late(25, 2*limits.MaxLagP99Micros, 7, 15),
			reasons: []string{report.GeneratorLag}, says: "sent more than 20.015ms late",
			check: func(t *testing.T, r *report.Report) {
				if got := r.InvalidReasons[0].Seconds; !slices.Equal(got, []int64{5, 13}) {
					t.Errorf("seconds %v", got)
				}
			},
		},
		{
			// The store's answers take 2 ms, from the intended time on.
			name:    "half of the sends are as late as the store takes",
			change:  everyLag(1_100),
			reasons: []string{report.GeneratorLag}, says: "half of the operations were sent more than 1.1ms late, other than for want of a slot, and the median response time of READ is 2ms; at most 1ms is allowed",
		},
		{
			name:   "what is less is noted beside the response times",
			change: everyLag(900),
			check: func(t *testing.T, r *report.Report) {
				for _, text := range []string{render.Table(r), string(render.Markdown(r))} {
					for _, want := range []string{"lag of the sends p50 900 µs, p99 900 µs, longest 900 µs", "of the response times: READ p50 45 %, p95 45 %"} {
						if !strings.Contains(text, want) {
							t.Errorf("%q is missing in\n%s", want, text)
						}
					}
				}
			},
		},
		{
			name:   "late sends of the warm-up don't count",
			change: late(1000, 2*limits.MaxLagMicros, 0, 1),
		},
		{
			name:    "one long pause",
			change:  late(1, limits.MaxLagMicros+200, 5),
			reasons: []string{report.GeneratorLag}, says: "an operation was sent 250.239ms late",
		},
		{
			// 1,000 gaps: 0.085 is allowed for chance.
			name:    "arrivals by another law",
			change:  func(s *reporttest.Situation) { s.Skewed = 31 },
			reasons: []string{report.ArrivalsSkewed, report.ArrivalsSkewed}, says: "the arrivals of worker 0 have a Kolmogorov–Smirnov distance of 0.30 from their law; at most 0.29 is allowed for 1000 gaps between every 10",
			check: func(t *testing.T, r *report.Report) {
				if d := r.Workloads[0].Generator.ArrivalsDistance; d == nil || *d != 0.3 {
					t.Errorf("distance %v", d)
				}
			},
		},
		{name: "arrivals nearly by the law", change: func(s *reporttest.Situation) { s.Skewed = 29 }},
		{
			name: "a worker's arrivals are of another format",
			files: func(f bundletest.Files) {
				name := bundletest.WorkerOf(0).File(bundle.Jsonl)
				f.Put(name, bytes.Replace(f[name].Data, []byte(`"short":[`), []byte(`"short":[1,`), 1))
				f.End(name)
			},
			reasons: []string{report.FileCorrupt}, says: "arrivals in 101 and 100 steps",
		},
		{
			name: "a worker's arrivals contradict themselves",
			files: func(f bundletest.Files) {
				name := bundletest.WorkerOf(0).File(bundle.Jsonl)
				f.Put(name, bytes.Replace(f[name].Data, []byte(`"short":[0,`), []byte(`"short":[7,`), 1))
				f.End(name)
			},
			reasons: []string{report.FileCorrupt}, says: "whose counts differ by 7",
		},
		{
			name:    "garbage collection",
			change:  everySecond(func(s *bundle.SelfSecond) { s.GCPauseMicros = limits.MaxGCPauseMicros + 1 }),
			reasons: []string{report.GeneratorPaused, report.GeneratorPaused},
		},
		{
			name:    "CPU quota",
			change:  everySecond(func(s *bundle.SelfSecond) { *s.ThrottledMicros = limits.MaxThrottledMicros + 1 }),
			reasons: []string{report.GeneratorStarved, report.GeneratorStarved},
		},
		{
			// Of 20 seconds of a worker, 2 are forgiven.
			name: "CPU quota, in three seconds of one worker",
			change: func(s *reporttest.Situation) {
				s.First = func(second int64, self *bundle.SelfSecond) {
					if second >= 5 && second < 8 {
						*self.ThrottledMicros = limits.MaxThrottledMicros + 1
					}
				}
			},
			reasons: []string{report.GeneratorStarved}, says: "worker 0 for more than 100ms in 3 of 20 seconds",
		},
		{
			// One line for four seconds: 100 ms of each are allowed.
			name: "CPU quota, of a worker that was held up",
			change: func(s *reporttest.Situation) {
				s.First = func(second int64, self *bundle.SelfSecond) {
					if second == 9 {
						self.LengthMicros, *self.ThrottledMicros = 4*bundletest.Second, 4*limits.MaxThrottledMicros+1
						self.Intended, self.Sent = 4*self.Intended, 4*self.Sent
					}
				}
			},
			reasons: []string{report.GeneratorStarved, report.LogDelayed}, says: "in 4 of 23 seconds",
			check: func(t *testing.T, r *report.Report) {
				if got := r.InvalidReasons[0].Seconds; !slices.Equal(got, []int64{4, 5, 6, 7}) {
					t.Errorf("seconds %v", got)
				}
			},
		},
		{
			name: "CPU quota, for 1 % in all, some of it in one second",
			change: func(s *reporttest.Situation) {
				seconds(func(s *bundle.SelfSecond) { *s.ThrottledMicros = limits.MaxThrottledMicros - 1 }, 6)(s)
				s.First = func(second int64, self *bundle.SelfSecond) {
					if second == 5 {
						*self.ThrottledMicros = limits.MaxThrottledMicros + 1
					}
				}
			},
		},
		{
			name:    "CPU quota, all of two seconds",
			change:  seconds(func(s *bundle.SelfSecond) { *s.ThrottledMicros = bundletest.Second }, 5, 6),
			reasons: []string{report.GeneratorStarved, report.GeneratorStarved}, says: "its CPU quota stopped worker 0 for 2s of 20s in all; at most 200ms is allowed",
			check: func(t *testing.T, r *report.Report) {
				if got := r.InvalidReasons[0].Seconds; !slices.Equal(got, []int64{3, 4}) {
					t.Errorf("seconds %v", got)
				}
			},
		},
		{
			name:    "garbage collection, 2 % in small parts",
			change:  everySecond(func(s *bundle.SelfSecond) { s.GCPauseMicros = 20_000 }),
			reasons: []string{report.GeneratorPaused, report.GeneratorPaused}, says: "garbage collection paused worker 0 for 400ms of 20s in all; at most 200ms is allowed",
		},
		{
			name: "a worker was stopped, across the end of a second",
			change: func(s *reporttest.Situation) {
				s.First = func(second int64, self *bundle.SelfSecond) {
					if second == 7 {
						*self.StoppedMicros, self.StoppedAgoMicros = limits.MaxStoppedMicros+1, 1_050_000
					}
				}
			},
			reasons: []string{report.GeneratorStopped}, says: "worker 0 neither ran nor waited for a core for 150.001ms",
			check: func(t *testing.T, r *report.Report) {
				if got := r.InvalidReasons[0].Seconds; !slices.Equal(got, []int64{4, 5}) {
					t.Errorf("seconds %v", got)
				}
				if n := *r.Workloads[0].Generator.StoppedMaxMicros; n != limits.MaxStoppedMicros+1 {
					t.Errorf("stopped for %d µs", n)
				}
			},
		},
		{
			name:   "a shorter stop",
			change: seconds(func(s *bundle.SelfSecond) { *s.StoppedMicros, s.StoppedAgoMicros = limits.MaxStoppedMicros, 500_000 }, 7),
		},
		{
			name:    "many shorter stops",
			change:  everySecond(func(s *bundle.SelfSecond) { *s.StoppedMicros, s.StoppedAgoMicros = 20_000, 500_000 }),
			reasons: []string{report.GeneratorStopped, report.GeneratorStopped}, says: "worker 0 neither ran nor waited for a core for 400ms of 20s in all; at most 200ms is allowed",
		},
		{
			name:   "a worker was stopped in the warm-up",
			change: seconds(func(s *bundle.SelfSecond) { *s.StoppedMicros, s.StoppedAgoMicros = 2*limits.MaxStoppedMicros, 500_000 }, 0, 1),
		},
		{
			name:    "a worker's disk was slow in three seconds",
			change:  seconds(func(s *bundle.SelfSecond) { s.WriteMicros = limits.MaxWriteMicros + 1 }, 5, 6, 7),
			reasons: []string{report.LogDelayed, report.LogDelayed}, says: "the disk of worker 0 took more than 1s for the rows of a second in 3 of 20 seconds",
		},
		{
			name:   "a worker's disk was slow in two seconds",
			change: seconds(func(s *bundle.SelfSecond) { s.WriteMicros = limits.MaxWriteMicros + 1 }, 5, 6),
		},
		{
			name: "a machine that doesn't tell",
			change: func(s *reporttest.Situation) {
				seconds(func(s *bundle.SelfSecond) { *s.StoppedMicros = 20_000 }, 5)(s)
				s.First = func(second int64, self *bundle.SelfSecond) {
					self.ThrottledMicros = nil
					if second > 11 {
						self.StoppedMicros = nil
					}
				}
			},
			check: func(t *testing.T, r *report.Report) {
				g := &r.Workloads[0].Generator
				if g.ThrottledMicros != nil || g.ThrottledMaxMicros != nil || g.StoppedMaxMicros != nil || len(r.NotJudged) != 2 {
					t.Errorf("%+v, not judged %+v", g, r.NotJudged)
				}
				for _, text := range []string{render.Table(r), string(render.Markdown(r))} {
					for _, want := range []string{"worker 0 could read no cpu.stat of its cgroup in 20 of 20 seconds", "what its threads did in 10 of 20 seconds"} {
						if !strings.Contains(text, want) {
							t.Errorf("%q is missing in\n%s", want, text)
						}
					}
				}
			},
		},
		{
			name: "garbage collection, in three seconds of one worker",
			change: func(s *reporttest.Situation) {
				s.First = func(second int64, self *bundle.SelfSecond) {
					if second >= 5 && second < 8 {
						self.GCPauseMicros = limits.MaxGCPauseMicros + 1
					}
				}
			},
			reasons: []string{report.GeneratorPaused}, says: "worker 0 for more than 50ms in 3 of 20 seconds",
		},
	})
}

func everySecond(change func(*bundle.SelfSecond)) func(*reporttest.Situation) {
	return func(s *reporttest.Situation) { s.Self = func(_ int64, self *bundle.SelfSecond) { change(self) } }
}

func seconds(change func(*bundle.SelfSecond), which ...int64) func(*reporttest.Situation) {
	return func(s *reporttest.Situation) {
		s.Self = func(second int64, self *bundle.SelfSecond) {
			if slices.Contains(which, second) {
				change(self)
			}
		}
	}
}

// late adds sends to these seconds, or without any to all.
func late(sends, micros int64, which ...int64) func(*reporttest.Situation) {
	return func(s *reporttest.Situation) {
		s.Lags = func(second int64) (int64, int64) {
			if len(which) == 0 || slices.Contains(which, second) {
				return sends, micros
			}
			return 0, 0
		}
	}
}

func replay(s *reporttest.Situation) {
	s.Workload().Load.Arrivals, s.Workload().Load.Trace = plan.ArrivalsTrace, &plan.Trace{File: "day.csv", Rows: 9, Stretch: 0.04}
}

// atBorders is a run of 8 operations/s of which so many aren't intended in the last judged second
// before some that aren't judged, and in the last one of all.
func atBorders(missing int64) func(*reporttest.Situation) {
	return func(s *reporttest.Situation) {
		s.Scene.Rate, s.Scene.Poisson = 8, false
		s.Workload().Load.Rate, s.Workload().Load.Arrivals = 8, plan.ArrivalsConstant
		s.Plan.Faults, s.Fault = nil, nil
		s.Answers(bundletest.Healthy)
		seconds(func(s *bundle.SelfSecond) { s.Limited = 1 }, 10, 11, 12)(s)
		s.Paced = func(second, due int64) int64 {
			if second == 9 || second == 21 {
				return due - missing
			}
			return due
		}
	}
}

func nineTenths(_, due int64) int64 { return due * 9 / 10 }

// everyLag is the lag of nearly all sends.
func everyLag(micros int64) func(*reporttest.Situation) {
	return func(s *reporttest.Situation) { s.Lags = func(int64) (int64, int64) { return 100_000, micros } }
}
