package judge_test

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

func TestClocksAreJudged(t *testing.T) {
	judge(t, []expectation{
		{
			name:    "the clocks agree too loosely",
			change:  func(s *reporttest.Situation) { s.Clock.BoundNanos = 11_000_000 },
			reasons: []string{report.ClockUncertain},
		},
		{
			name: "a clock drifted away",
			files: func(f bundletest.Files) {
				name := bundletest.WorkerOf(0).File(bundle.Jsonl)
				f.Put(name, append(bundletest.Line(bundle.SelfLine{Clock: &bundle.Clock{OffsetNanos: 16_000_000, BoundNanos: 1}}), f[name].Data...))
				f.End(name)
			},
			reasons: []string{report.ClockUncertain},
		},
		{
			name: "a worker never looked at the clock",
			files: func(f bundletest.Files) {
				name := bundletest.WorkerOf(0).File(bundle.Jsonl)
				f.Put(name, f[name].Data[strings.Index(string(f[name].Data), "\n")+1:])
				f.End(name)
			},
			reasons: []string{report.ClockUncertain}, says: "worker 0",
		},
		{
			name: "the observer's clock moved a little",
			change: func(s *reporttest.Situation) {
				s.Topology[2].Clock, s.Topology[9].Clock = &bundle.Clock{BoundNanos: 1}, &bundle.Clock{OffsetNanos: 16_000_000, BoundNanos: 1}
			},
			reasons: []string{report.ClockUncertain}, says: "16.001ms",
		},
		{
			name: "another observer has another clock",
			files: func(f bundletest.Files) {
				f.Put(bundle.Writer{Role: bundle.RoleObserver, PodUID: bundletest.PodUID(901)}.File(bundle.Jsonl), bundletest.Line(bundle.TopologyLine{Clock: &bundle.Clock{OffsetNanos: 3_600_000_000_000}}))
			},
			change: func(s *reporttest.Situation) { s.Topology[2].Clock = &bundle.Clock{BoundNanos: 1} },
		},
		{
			name: "the observer's machine stood still",
			change: func(s *reporttest.Situation) {
				s.Topology[2].Clock, s.Topology[9].Clock = &bundle.Clock{BoundNanos: 1}, &bundle.Clock{OffsetNanos: 3_000_000_000, BoundNanos: 1}
			},
			reasons: []string{report.ClockStepped}, says: `by 3s against the observer's while workload "a" was under way`,
		},
		{
			name: "the observer's machine stood still while the store was deployed",
			change: func(s *reporttest.Situation) {
				for i, offset := range []int64{0, 3_000_000_000} {
					line := bundletest.TopologyLine("", 0, false)
					line.AtUnixNanos, line.Clock = s.Nanos(int64(i-10)*10*bundletest.Second), &bundle.Clock{OffsetNanos: offset, BoundNanos: 1}
					s.Topology = append(s.Topology, line)
				}
				s.Topology[2].Clock = &bundle.Clock{OffsetNanos: 3_000_000_000, BoundNanos: 1}
			},
		},
	})
}
