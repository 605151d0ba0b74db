package report

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
)

func TestClocksAreJudged(t *testing.T) {
	judge(t, []verdict{
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
	})
}
