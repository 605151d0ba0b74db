package judge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

// Two workers on 2 cores, so the limit of 8 threads is two seconds in each second. The measurement has 20 seconds, from the second on.
func TestWaitingForACoreIsJudgedInAClosedLoop(t *testing.T) {
	for _, c := range []struct {
		name    string
		threads int
		open    bool
		cores   func(second int64) *bundle.Cores // of the first worker
		says    string                           // empty for nothing
		seconds []int64
	}{
		{name: "at the limit of the cores", threads: 8, cores: everyWait(2_000_000, 200_000)},
		{
			name: "beyond the limit of the cores", threads: 8, cores: everyWait(2_000_050, 200_000),
			says: "the threads of worker 0 waited 40.001s in 20s for cores that others had; at most 40s is allowed", seconds: []int64{0, 1, 2},
		},
		{name: "beyond it in some seconds", threads: 8, cores: func(second int64) *bundle.Cores {
			if second < 10 {
				return waits(3_000_000, 200_000)
			}
			return waits(100_000, 50_000)
		}},
		{name: "at the limit of one thread", threads: 1, cores: everyWait(1_000_000, 100_000)},
		{
			name: "beyond the limit of one thread", threads: 1, cores: everyWait(1_000_050, 100_000),
			says: "waited 20.001s in 20s for cores that others had; at most 20s is allowed", seconds: []int64{0, 1, 2},
		},
		{name: "at the limit of long waits", threads: 8, cores: everyLong(50_000)},
		{
			name: "beyond the limit of long waits", threads: 8, cores: everyLong(50_050),
			says: "for more than 25ms at a time, 1.001s in 20s; at most 5 % is allowed", seconds: []int64{0, 1, 2},
		},
		{name: "in the warm-up", threads: 8, cores: func(second int64) *bundle.Cores {
			if second < 2 {
				return waits(5_000_000, 900_000)
			}
			return waits(0, 0)
		}},
		{
			name: "once for long", threads: 8,
			cores: func(second int64) *bundle.Cores {
				if second == 7 {
					return waits(limits.MaxWaitMicros+1, limits.MaxWaitMicros+1)
				}
				return waits(0, 0)
			},
			says: "a thread of worker 0 waited 250.001ms for a core that others had; at most 250ms is allowed", seconds: []int64{5},
		},
		{name: "in an open loop", threads: 8, open: true, cores: everyWait(5_000_000, 900_000)},
		{name: "not known", threads: 8, cores: func(int64) *bundle.Cores { return nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := reporttest.NewSituation()
			s.Plan.Faults, s.Fault = nil, nil
			s.Workload().Load.Threads = c.threads
			if !c.open {
				s.Workload().Load.Rate = 0
			}
			s.Self = func(_ int64, self *bundle.SelfSecond) { self.Cores = nil }
			s.First = func(second int64, self *bundle.SelfSecond) { self.Cores = c.cores(second) }
			r := reporttest.Report(t, s.Build(t))
			if c.says == "" {
				if len(r.InvalidReasons) > 0 {
					t.Errorf("reasons %+v", r.InvalidReasons)
				}
			} else if len(r.InvalidReasons) != 1 || r.InvalidReasons[0].Reason != report.GeneratorStarved || !strings.Contains(r.InvalidReasons[0].Message, c.says) {
				t.Errorf("reasons %+v, want %q", r.InvalidReasons, c.says)
			} else if got := r.InvalidReasons[0].Seconds; !slices.Equal(got[:min(len(got), len(c.seconds))], c.seconds) {
				t.Errorf("seconds %v, want them from %v on", got, c.seconds)
			}
			if g := r.Workloads[0].Generator; (g.CoreWaitMicros == nil) != (c.cores(9) == nil) {
				t.Errorf("it says %v of the waits", g.CoreWaitMicros)
			}
		})
	}
}

func waits(micros, longest int64) *bundle.Cores {
	return &bundle.Cores{Count: 2, RanMicros: 100_000, WaitedMicros: micros, WaitedMaxMicros: longest}
}

func everyWait(micros, longest int64) func(int64) *bundle.Cores {
	return func(int64) *bundle.Cores { return waits(micros, longest) }
}

func everyLong(micros int64) func(int64) *bundle.Cores {
	return func(int64) *bundle.Cores {
		c := waits(300_000, 50_000)
		c.LongWaitsMicros = micros
		return c
	}
}
