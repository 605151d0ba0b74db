package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

func TestValidity(t *testing.T) {
	everySecond := func(change func(*bundle.SelfSecond)) func(*situation) {
		return func(s *situation) { s.self = func(_ int64, self *bundle.SelfSecond) { change(self) } }
	}
	seconds := func(change func(*bundle.SelfSecond), which ...int64) func(*situation) {
		return func(s *situation) {
			s.self = func(second int64, self *bundle.SelfSecond) {
				if slices.Contains(which, second) {
					change(self)
				}
			}
		}
	}
	late := func(sends, micros int64, which ...int64) func(*situation) {
		return func(s *situation) {
			s.lags = func(second int64) (int64, int64) {
				if slices.Contains(which, second) {
					return sends, micros
				}
				return 0, 0
			}
		}
	}

	replay := func(s *situation) {
		s.workload().Load.Arrivals, s.workload().Load.Trace = plan.ArrivalsTrace, &plan.Trace{File: "day.csv", Rows: 9, Stretch: 0.5}
	}

	for _, c := range []struct {
		name    string
		change  func(*situation)
		files   func(files)
		reasons []string
		says    string
		check   func(*testing.T, *Report)
	}{
		{name: "all is well"},

		// Files.
		{
			name:    "the workload never started",
			files:   func(f files) { delete(f, bundle.StartFile("a")) },
			reasons: []string{NotMeasured, FaultNotInjected},
		},
		{
			name:    "a worker never claimed its index",
			files:   func(f files) { f.put(bundle.ClaimsFile, line(bundle.Claim{Writer: workerOf(0)})) },
			reasons: []string{WorkerLost}, says: "worker 1",
		},
		{
			name:    "a worker left no bins",
			files:   func(f files) { delete(f, workerOf(1).File(bundle.Bins)) },
			reasons: []string{WorkerLost}, says: ".bins",
		},
		{
			name:    "a worker's log has no end mark",
			files:   func(f files) { delete(f, bundle.EndFile(workerOf(0).File(bundle.Hlog))) },
			reasons: []string{FileIncomplete}, says: "no end mark",
			check: func(t *testing.T, r *Report) {
				near(t, "intended by the other worker", r.Workloads[0].Intended, 2_500, 200)
			},
		},
		{
			name: "a worker's log is shorter than its end mark says",
			files: func(f files) {
				name := workerOf(0).File(bundle.Hlog)
				f.put(name, f[name].Data[:len(f[name].Data)/2])
			},
			reasons: []string{FileIncomplete}, says: "end mark says",
		},
		{
			name: "a worker's bins are of another start",
			files: func(f files) {
				name := workerOf(0).File(bundle.Bins)
				f.put(name, bundle.AppendBinsHeader(nil, 17))
				f.end(name)
			},
			reasons: []string{FileCorrupt}, says: "counts from 17",
		},
		{
			name: "a worker's log is rubbish",
			files: func(f files) {
				name := workerOf(0).File(bundle.Hlog)
				f.put(name, []byte("Tag=READ,1.0,1.0,1.0,HISTFAAA\n"))
				f.end(name)
			},
			reasons: []string{FileCorrupt}, says: "line 1",
			check: func(t *testing.T, r *Report) {
				near(t, "intended by the other worker", r.Workloads[0].Intended, 2_500, 200)
			},
		},
		{
			name:    "a worker's bins and its summary differ",
			change:  func(s *situation) { s.finish.Succeeded = 1 },
			reasons: []string{FileCorrupt, FileCorrupt, NoOperations}, says: "its bins have",
		},
		{
			name:    "a worker's bins and its summary differ in what never started",
			change:  func(s *situation) { s.finish.NeverStarted = 1 },
			reasons: []string{FileCorrupt, FileCorrupt, NoOperations}, says: "successes and 0 never started",
		},
		{
			name: "a worker's bins hide operations",
			files: func(f files) {
				f.addLine(workerOf(0).File(bundle.Bins), "700,1,0,0,0,0,0,-1,0,-1,-1,\n")
			},
			reasons: []string{FileCorrupt}, says: "that ended or never started",
		},
		{
			name:    "a worker's second began after its end",
			change:  seconds(func(s *bundle.SelfSecond) { s.LengthMicros = -3_000_000 }, 0),
			reasons: []string{FileCorrupt, FileCorrupt, NoOperations}, says: "line 2: a second of -3000000 µs",
		},
		{
			name:    "a worker's second has no length",
			change:  seconds(func(s *bundle.SelfSecond) { s.LengthMicros = 0 }, 0),
			reasons: []string{FileCorrupt, FileCorrupt, NoOperations}, says: "a second of 0 µs",
		},
		{
			name:    "a worker sent less than nothing",
			change:  seconds(func(s *bundle.SelfSecond) { s.Sent = -1 }, 5),
			reasons: []string{FileCorrupt, FileCorrupt, NoOperations}, says: "a count of -1",
		},
		{
			name:    "a worker counts less than nothing",
			change:  func(s *situation) { s.finish.OverRange = -1 },
			reasons: []string{FileCorrupt, FileCorrupt, NoOperations}, says: "a summary with a count of -1",
		},
		{
			name:    "a worker's clock is off by centuries",
			change:  func(s *situation) { s.clock.OffsetNanos = -1 << 63 },
			reasons: []string{FileCorrupt, FileCorrupt, NoOperations}, says: "a clock with offset",
		},
		{
			// 27 s are recorded, an operation has two deadlines of 2 s, and a minute is allowed.
			name: "a worker's bins reach to the last that can be",
			files: func(f files) {
				f.addLine(workerOf(0).File(bundle.Bins), "9100,0,0,0,0,0,0,-1,0,-1,-1,\n")
			},
		},
		{
			name: "a worker's bins go on after the end of all",
			files: func(f files) {
				f.addLine(workerOf(0).File(bundle.Bins), "9101,0,0,0,0,0,0,-1,0,-1,-1,\n")
			},
			reasons: []string{FileCorrupt}, says: "bin 9101 is later than anything that can have ended",
		},
		{
			name: "a worker's line is longer than any that is written",
			files: func(f files) {
				name := workerOf(0).File(bundle.Jsonl)
				f.put(name, append([]byte(`{"errors":[`+strings.Repeat("{},", maxJSONLine/3)+`{}]}`+"\n"), f[name].Data...))
				f.end(name)
			},
			reasons: []string{FileCorrupt}, says: "line 1: longer than",
		},
		{
			name: "a worker's line has more kinds of errors than there are",
			files: func(f files) {
				name := workerOf(0).File(bundle.Jsonl)
				f.put(name, append([]byte(`{"errors":[`+strings.Repeat("{},", maxErrorsOfLine)+`{}]}`+"\n"), f[name].Data...))
				f.end(name)
			},
			reasons: []string{FileCorrupt}, says: "1001 kinds of errors",
		},
		{
			name: "a worker's file ends without its summary",
			files: func(f files) {
				name := workerOf(0).File(bundle.Jsonl)
				f.put(name, line(bundle.SelfLine{Clock: &bundle.Clock{}}))
				f.end(name)
			},
			reasons: []string{NoFinish},
		},
		{
			name:    "a histogram could not take a value",
			change:  func(s *situation) { s.finish.Dropped = 1 },
			reasons: []string{ValuesDropped, ValuesDropped},
		},
		{
			name: "a second pod of an index is ignored",
			files: func(f files) {
				second := workerOf(0)
				second.PodUID = podUID(50)
				f.put(bundle.ClaimsFile, append(f[bundle.ClaimsFile].Data, line(bundle.Claim{Writer: second})...))
				f.put(second.File(bundle.Hlog), []byte("rubbish"))
			},
		},
		{
			name: "the last line of the claims was cut off with the server",
			files: func(f files) {
				f.put(bundle.ClaimsFile, append(f[bundle.ClaimsFile].Data, `{"role":"wor`...))
			},
		},

		// Loading.
		{
			name: "a loader's first attempt died; the second one's files count",
			files: func(f files) {
				first, second := loaderOf(0, 0), loaderOf(0, 1)
				for _, kind := range []string{bundle.Hlog, bundle.Jsonl} {
					f.put(second.File(kind), f[first.File(kind)].Data)
					f.end(second.File(kind))
					delete(f, bundle.EndFile(first.File(kind)))
				}
			},
		},
		{
			name: "two attempts of a loader: only one counts",
			files: func(f files) {
				for _, kind := range []string{bundle.Hlog, bundle.Jsonl} {
					f.put(loaderOf(0, 1).File(kind), f[loaderOf(0, 0).File(kind)].Data)
					f.end(loaderOf(0, 1).File(kind))
				}
			},
			check: func(t *testing.T, r *Report) {
				if n := r.Workloads[0].Loading.Records; n != 1000 {
					t.Errorf("%d records", n)
				}
			},
		},
		{
			name:    "a loader is missing",
			files:   func(f files) { delete(f, loaderOf(1, 0).File(bundle.Hlog)) },
			reasons: []string{LoadIncomplete}, says: "loader 1",
		},
		{
			name:    "fewer records than planned",
			change:  func(s *situation) { s.workload().Records = 2000 },
			reasons: []string{LoadIncomplete}, says: "1000 of 2000",
		},
		{
			name:   "nothing was to be loaded",
			change: func(s *situation) { s.workload().LoadFirst = false },
			check: func(t *testing.T, r *Report) {
				if r.Workloads[0].Loading != nil {
					t.Error("loading is reported")
				}
			},
		},

		// Operations.
		{
			name:   "every operation failed: a result",
			change: func(s *situation) { s.answers(func(int64) answer { return answer{failed: true, took: ms} }) },
		},
		{
			name:    "no operation at all",
			change:  func(s *situation) { s.scene.duration = 1 * sec }, // the workers end in the warm-up
			reasons: []string{NoOperations, FaultNotInjected},
		},

		// The generator.
		{
			name:    "1 % is not sent",
			change:  everySecond(func(s *bundle.SelfSecond) { s.Sent = s.Intended * 98 / 100 }),
			reasons: []string{RateNotAchieved}, says: "were sent",
		},
		{
			name: "late sends are counted over the measurement",
			change: func(s *situation) {
				s.self = func(second int64, self *bundle.SelfSecond) { self.Late = 1 + second }
			},
			check: func(t *testing.T, r *Report) { // of two workers, the seconds 2 to 21
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
			name:    "the pacer fell behind the plan",
			change:  everySecond(func(s *bundle.SelfSecond) { s.Intended, s.Sent = s.Intended*9/10, s.Intended*9/10 }),
			reasons: []string{RateNotAchieved}, says: "were intended",
		},
		{
			name: "a trace has no rate to fall behind",
			change: func(s *situation) {
				everySecond(func(s *bundle.SelfSecond) { s.Intended, s.Sent = s.Intended*9/10, s.Intended*9/10 })(s)
				replay(s)
			},
			check: func(t *testing.T, r *Report) {
				if line, want := r.Workloads[0].Load.line(), "(trace of 9 requests, times × 0.5)"; !strings.Contains(line, want) {
					t.Errorf("%q lacks %q", line, want)
				}
			},
		},
		{
			name: "1 % of a trace is not sent",
			change: func(s *situation) {
				everySecond(func(s *bundle.SelfSecond) { s.Sent = s.Intended * 98 / 100 })(s)
				replay(s)
			},
			reasons: []string{RateNotAchieved}, says: "were sent",
		},
		{
			name:   "few late sends are forgiven", // 40 of 5,000
			change: late(10, 2*maxLagP99Micros, 7, 15),
			check: func(t *testing.T, r *Report) {
				lag := r.Workloads[0].Generator.SendLag
				near(t, "lag p50", lag.P50Micros, 300, 1)
				near(t, "lag p99", lag.P99Micros, 300, 1)
				near(t, "lag max", lag.MaxMicros, 2*maxLagP99Micros, 20)
			},
		},
		{
			name:    "more are not", // 100
			change:  late(25, 2*maxLagP99Micros, 7, 15),
			reasons: []string{GeneratorLag}, says: "sent more than 20.015ms late",
			check: func(t *testing.T, r *Report) {
				if got := r.InvalidReasons[0].Seconds; !slices.Equal(got, []int64{5, 13}) {
					t.Errorf("seconds %v", got)
				}
			},
		},
		{
			name:   "late sends of the warm-up don't count",
			change: late(1000, 2*maxLagMicros, 0, 1),
		},
		{
			name:    "one long pause",
			change:  late(1, maxLagMicros+200, 5),
			reasons: []string{GeneratorLag}, says: "an operation was sent 250.239ms late",
		},
		{
			// 1,000 gaps: 0.085 is allowed for chance.
			name:    "arrivals by another law",
			change:  func(s *situation) { s.skewed = 31 },
			reasons: []string{ArrivalsSkewed, ArrivalsSkewed}, says: "the arrivals of worker 0 have a Kolmogorov–Smirnov distance of 0.30 from their law; at most 0.29 is allowed for 1000 gaps between every 10",
			check: func(t *testing.T, r *Report) {
				if d := r.Workloads[0].Generator.ArrivalsDistance; d == nil || *d != 0.3 {
					t.Errorf("distance %v", d)
				}
			},
		},
		{name: "arrivals nearly by the law", change: func(s *situation) { s.skewed = 29 }},
		{
			name: "a worker's arrivals are of another format",
			files: func(f files) {
				name := workerOf(0).File(bundle.Jsonl)
				f.put(name, bytes.Replace(f[name].Data, []byte(`"short":[`), []byte(`"short":[1,`), 1))
				f.end(name)
			},
			reasons: []string{FileCorrupt}, says: "arrivals in 101 and 100 steps",
		},
		{
			name: "a worker's arrivals contradict themselves",
			files: func(f files) {
				name := workerOf(0).File(bundle.Jsonl)
				f.put(name, bytes.Replace(f[name].Data, []byte(`"short":[0,`), []byte(`"short":[7,`), 1))
				f.end(name)
			},
			reasons: []string{FileCorrupt}, says: "whose counts differ by 7",
		},
		{
			name:    "garbage collection",
			change:  everySecond(func(s *bundle.SelfSecond) { s.GCPauseMicros = maxGCPauseMicros + 1 }),
			reasons: []string{GeneratorPaused, GeneratorPaused},
		},
		{
			name:    "CPU quota",
			change:  everySecond(func(s *bundle.SelfSecond) { s.ThrottledMicros = maxThrottledMicros + 1 }),
			reasons: []string{GeneratorStarved, GeneratorStarved},
		},
		{
			// Of 20 seconds of a worker, 2 are forgiven.
			name: "CPU quota, in three seconds of one worker",
			change: func(s *situation) {
				s.first = func(second int64, self *bundle.SelfSecond) {
					if second >= 5 && second < 8 {
						self.ThrottledMicros = maxThrottledMicros + 1
					}
				}
			},
			reasons: []string{GeneratorStarved}, says: "worker 0 for more than 100ms in 3 of 20 seconds",
		},
		{
			// One line for four seconds: 100 ms of each are allowed.
			name: "CPU quota, of a worker that was held up",
			change: func(s *situation) {
				s.first = func(second int64, self *bundle.SelfSecond) {
					if second == 9 {
						self.LengthMicros, self.ThrottledMicros = 4*sec, 4*maxThrottledMicros+1
						self.Intended, self.Sent = 4*self.Intended, 4*self.Sent
					}
				}
			},
			reasons: []string{GeneratorStarved}, says: "in 4 of 23 seconds",
			check: func(t *testing.T, r *Report) {
				if got := r.InvalidReasons[0].Seconds; !slices.Equal(got, []int64{4, 5, 6, 7}) {
					t.Errorf("seconds %v", got)
				}
			},
		},
		{
			name:   "CPU quota, in two seconds of each worker",
			change: seconds(func(s *bundle.SelfSecond) { s.ThrottledMicros = maxThrottledMicros + 1 }, 5, 6),
		},
		{
			name: "a worker was stopped, across the end of a second",
			change: func(s *situation) {
				s.first = func(second int64, self *bundle.SelfSecond) {
					if second == 7 {
						self.StoppedMicros, self.StoppedAgoMicros = maxStoppedMicros+1, 1_050_000
					}
				}
			},
			reasons: []string{GeneratorStopped}, says: "worker 0 neither ran nor waited for a core for 150.001ms",
			check: func(t *testing.T, r *Report) {
				if got := r.InvalidReasons[0].Seconds; !slices.Equal(got, []int64{4, 5}) {
					t.Errorf("seconds %v", got)
				}
				if n := r.Workloads[0].Generator.StoppedMaxMicros; n != maxStoppedMicros+1 {
					t.Errorf("stopped for %d µs", n)
				}
			},
		},
		{
			name:   "shorter stops",
			change: everySecond(func(s *bundle.SelfSecond) { s.StoppedMicros, s.StoppedAgoMicros = maxStoppedMicros, 500_000 }),
		},
		{
			name:   "a worker was stopped in the warm-up",
			change: seconds(func(s *bundle.SelfSecond) { s.StoppedMicros, s.StoppedAgoMicros = 2*maxStoppedMicros, 500_000 }, 0, 1),
		},
		{
			name:    "a worker's disk was slow in three seconds",
			change:  seconds(func(s *bundle.SelfSecond) { s.WriteMicros = maxWriteMicros + 1 }, 5, 6, 7),
			reasons: []string{LogDelayed, LogDelayed}, says: "the disk of worker 0 took more than 1s for the rows of a second in 3 of 20 seconds",
		},
		{
			name:   "a worker's disk was slow in two seconds",
			change: seconds(func(s *bundle.SelfSecond) { s.WriteMicros = maxWriteMicros + 1 }, 5, 6),
		},
		{
			name: "garbage collection, in three seconds of one worker",
			change: func(s *situation) {
				s.first = func(second int64, self *bundle.SelfSecond) {
					if second >= 5 && second < 8 {
						self.GCPauseMicros = maxGCPauseMicros + 1
					}
				}
			},
			reasons: []string{GeneratorPaused}, says: "worker 0 for more than 50ms in 3 of 20 seconds",
		},

		// Clocks.
		{
			name:    "the clocks agree too loosely",
			change:  func(s *situation) { s.clock.BoundNanos = 11_000_000 },
			reasons: []string{ClockUncertain},
		},
		{
			name: "a clock drifted away",
			files: func(f files) {
				name := workerOf(0).File(bundle.Jsonl)
				f.put(name, append(line(bundle.SelfLine{Clock: &bundle.Clock{OffsetNanos: 16_000_000, BoundNanos: 1}}), f[name].Data...))
				f.end(name)
			},
			reasons: []string{ClockUncertain},
		},
		{
			name: "a worker never looked at the clock",
			files: func(f files) {
				name := workerOf(0).File(bundle.Jsonl)
				f.put(name, f[name].Data[strings.Index(string(f[name].Data), "\n")+1:])
				f.end(name)
			},
			reasons: []string{ClockUncertain}, says: "worker 0",
		},

		{
			name: "the observer's clock moved a little",
			change: func(s *situation) {
				s.topology[2].Clock, s.topology[9].Clock = &bundle.Clock{BoundNanos: 1}, &bundle.Clock{OffsetNanos: 16_000_000, BoundNanos: 1}
			},
			reasons: []string{ClockUncertain}, says: "16.001ms",
		},
		{
			name: "another observer has another clock",
			files: func(f files) {
				f.put(bundle.Writer{Role: bundle.RoleObserver, PodUID: podUID(901)}.File(bundle.Jsonl), line(bundle.TopologyLine{Clock: &bundle.Clock{OffsetNanos: 3_600_000_000_000}}))
			},
			change: func(s *situation) { s.topology[2].Clock = &bundle.Clock{BoundNanos: 1} },
		},
		{
			name: "the observer's machine stood still",
			change: func(s *situation) {
				s.topology[2].Clock, s.topology[9].Clock = &bundle.Clock{BoundNanos: 1}, &bundle.Clock{OffsetNanos: 3_000_000_000, BoundNanos: 1}
			},
			reasons: []string{ClockStepped}, says: `by 3s against the observer's while workload "a" was under way`,
		},
		{
			name: "the observer's machine stood still while the store was deployed",
			change: func(s *situation) {
				for i, offset := range []int64{0, 3_000_000_000} {
					line := topologyLine("", 0, false)
					line.AtUnixNanos, line.Clock = s.nanos(int64(i-10)*10*sec), &bundle.Clock{OffsetNanos: offset, BoundNanos: 1}
					s.topology = append(s.topology, line)
				}
				s.topology[2].Clock = &bundle.Clock{OffsetNanos: 3_000_000_000, BoundNanos: 1}
			},
		},

		// Faults.
		{
			name:    "the controller wrote nothing of the fault",
			change:  func(s *situation) { s.fault = nil },
			reasons: []string{FaultNotInjected},
		},
		{
			name: "the fault was asked for and not seen",
			change: func(s *situation) {
				s.fault.InjectedAfterUnixNanos, s.fault.InjectedBeforeUnixNanos, s.fault.Error = 0, 0, "no pod matched"
			},
			reasons: []string{FaultNotInjected}, says: "no pod matched",
			check: func(t *testing.T, r *Report) {
				if f := r.Faults[0]; f.InjectedAt != nil || f.OutageMicros != nil || f.RequestedAt == nil {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "injected after the measurement's end",
			change: func(s *situation) {
				s.fault.InjectedAfterUnixNanos, s.fault.InjectedBeforeUnixNanos = s.nanos(23*sec), s.nanos(24*sec)
			},
			reasons: []string{FaultNotInjected}, says: "after the end",
		},
		{
			name: "neither leader nor term changed",
			change: func(s *situation) {
				s.observe(0, 32*sec, 500*ms, topologyLine("m-1", 4, true))
				s.observe(killedAt+200*ms, killedAt+sec, 500*ms, topologyLine("", 4, false))
			},
			reasons: []string{FaultIneffective}, says: "m-1",
			check: func(t *testing.T, r *Report) {
				if f := r.Faults[0]; f.Effective || f.EffectiveAt == nil || f.LeaderAfter != "m-1" {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "the same leader in a new term: effective",
			change: func(s *situation) {
				s.observe(killedAt+2930*ms, 32*sec, 500*ms, topologyLine("m-1", 5, true))
			},
		},
		{
			name: "a follower was killed and nobody noticed",
			change: func(s *situation) {
				s.follower()
				s.answers(healthy)
				s.observe(0, 32*sec, 500*ms, topologyLine("m-1", 4, true))
			},
			reasons: []string{FaultIneffective}, says: "neither an operation nor the members",
			check: func(t *testing.T, r *Report) {
				if f := r.Faults[0]; *f.OutageMicros != 0 || f.DownAt != nil || f.LimitedByClient {
					t.Errorf("fault is %+v", f)
				}
			},
		},
		{
			name: "a follower was killed and only the observer noticed",
			change: func(s *situation) {
				s.follower()
				s.answers(healthy)
				s.observe(0, 32*sec, 500*ms, topologyLine("m-1", 4, true))
				s.observe(killedAt+150*ms, killedAt+2*sec, 250*ms, topologyLine("m-1", 4, false))
			},
			check: func(t *testing.T, r *Report) {
				f := r.Faults[0]
				if *f.OutageMicros != 0 || !f.Effective || *f.EffectiveBy != ByTopology || f.LeaderAfter != "m-1" {
					t.Errorf("fault is %+v", f)
				}
				near(t, "effective", f.EffectiveAt.SinceStartMicros, 8*sec+150*ms, 1)
				near(t, "healed", f.HealedAt.SinceStartMicros, 10*sec, 1)
			},
		},
		{
			name: "a follower was killed and reads of absent records went on: no sign of it",
			change: func(s *situation) {
				s.follower()
				s.answers(func(int64) answer { return answer{absent: true, took: ms} })
				s.observe(0, 32*sec, 500*ms, topologyLine("m-1", 4, true))
			},
			reasons: []string{FaultIneffective}, says: "neither an operation nor the members",
		},
		{
			name: "operations suffer before the observer looks: an old steady line doesn't heal",
			change: func(s *situation) {
				s.observe(killedAt+60*ms, killedAt+61*ms, 500*ms, topologyLine("m-1", 4, true))
			},
			check: func(t *testing.T, r *Report) {
				near(t, "healed", r.Faults[0].HealedAt.SinceStartMicros, 16*sec, 1)
			},
		},
		{
			name: "the controller had no fresh sample: the observer's last one counts",
			change: func(s *situation) {
				s.fault.LeaderBefore, s.fault.TermBefore = "", 0
			},
			check: func(t *testing.T, r *Report) {
				if f := r.Faults[0]; f.LeaderBefore != "m-1" || f.TermBefore != 4 {
					t.Errorf("fault is %+v", f)
				}
			},
		},

		// The observer.
		{
			name:    "silent just before the injection",
			change:  func(s *situation) { s.silence(killedAt-1900*ms, killedAt-400*ms) },
			reasons: []string{TopologyGap}, says: "kill",
		},
		{
			name:    "silent during the recovery",
			change:  func(s *situation) { s.silence(killedAt+4*sec, killedAt+5500*ms) },
			reasons: []string{TopologyGap},
		},
		{
			name:   "silent at another time",
			change: func(s *situation) { s.silence(2*sec, 7*sec); s.silence(killedAt+9*sec, 32*sec) },
		},
		{
			name: "no observer",
			files: func(f files) {
				delete(f, bundle.Writer{Role: bundle.RoleObserver, PodUID: podUID(900)}.File(bundle.Jsonl))
			},
			reasons: []string{FaultIneffective, TopologyGap},
		},
		{
			name:    "the observer saw more members than there can be",
			change:  func(s *situation) { s.topology[len(s.topology)-1].Members = make([]stores.MemberState, maxMembers+1) },
			reasons: []string{FileCorrupt}, says: "17 members",
		},
		{
			name: "the observer's names are no names",
			change: func(s *situation) {
				s.topology[len(s.topology)-1].Leader = strings.Repeat("m", maxName+1)
			},
			reasons: []string{FileCorrupt}, says: "a name of 129 bytes",
		},
		{
			name: "the observer was replaced in time, its last line cut off",
			files: func(f files) {
				first := bundle.Writer{Role: bundle.RoleObserver, PodUID: podUID(900)}.File(bundle.Jsonl)
				second := bundle.Writer{Role: bundle.RoleObserver, PodUID: podUID(800)}.File(bundle.Jsonl)
				data := f[first].Data
				cut := strings.Index(string(data[len(data)/2:]), "\n") + len(data)/2 + 1
				f.put(first, append(slices.Clone(data[:cut]), `{"atUnixNanos":`...))
				f.put(second, data[cut:])
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSituation()
			s.scene.rate /= 4
			s.workload().Load.Rate /= 4
			if c.change != nil {
				c.change(s)
			}
			f := s.build(t)
			if c.files != nil {
				c.files(f)
			}
			r := reportOf(t, f)
			var reasons []string
			var said strings.Builder
			for _, reason := range r.InvalidReasons {
				reasons = append(reasons, reason.Reason)
				said.WriteString(reason.Message + "\n")
			}
			if !slices.Equal(reasons, c.reasons) || r.Valid != (len(c.reasons) == 0) {
				t.Errorf("reasons are %v, want %v:\n%s", reasons, c.reasons, said.String())
			}
			if !strings.Contains(said.String(), c.says) {
				t.Errorf("%q is not said in:\n%s", c.says, said.String())
			}
			if c.check != nil {
				c.check(t, r)
			}
		})
	}
}

// follower makes the fault hit a follower.
func (s *situation) follower() {
	s.plan.Faults[0].Target.Role = plan.RoleFollower
	s.fault.Target, s.fault.Role = "m-2", plan.RoleFollower
}
