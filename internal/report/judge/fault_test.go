package judge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	judges "github.com/kvbench/kvbench/internal/report/judge"
	"github.com/kvbench/kvbench/internal/report/read"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

// The report has a fault's end and what it is part of, whatever action it is of.
func TestFaultsThatLastAreJudged(t *testing.T) {
	moment := func(seconds int64) report.Moment {
		return report.Moment{SinceStartMicros: report.FromMeasurement(seconds * bundletest.Second)}
	}
	for _, c := range []struct {
		name    string
		change  func(*report.Fault)
		silent  bool
		reasons []string
		says    string
	}{
		{name: "all is known"},
		{name: "nobody saw its end", change: func(f *report.Fault) { f.EndedAt, f.HealedAt = nil, nil }, reasons: []string{report.FaultEndUnknown}, says: "lower bound"},
		{name: "it ended by itself", change: func(f *report.Fault) { f.Reason = bundle.FaultEndedEarly },
			reasons: []string{report.FaultEndUnknown}, says: "nobody knows for how long"},
		{name: "a pod was replaced", change: func(f *report.Fault) { f.Reason, f.Error = bundle.FaultPodReplaced, "m-1 is another pod" },
			reasons: []string{report.FaultPodReplaced}, says: "m-1 is another pod"},
		{name: "a kill has no end", change: func(f *report.Fault) { f.DurationMicros, f.EndedAt = nil, nil }},
		{name: "it is part of another one", change: func(f *report.Fault) {
			f.PartOf, f.OutageMicros, f.P99BeforeMicros, f.DownAt, f.BackAt = "first", nil, nil, nil, nil
		}},
		{name: "an outage began with a later fault", change: func(f *report.Fault) { f.Effective, f.EffectiveAt = false, nil },
			reasons: []string{report.FaultIneffective}, says: "when a later fault was at work"},
		{name: "its target did not show it while an earlier fault was at work", change: func(f *report.Fault) {
			f.PartOf, f.Effective, f.EffectiveAt, f.OutageMicros, f.P99BeforeMicros, f.DownAt, f.BackAt = "first", false, nil, nil, nil, nil, nil
		}, reasons: []string{report.FaultIneffective}, says: `may be the doing of fault "first"`},
		{name: "the observer was silent before its end", silent: true, change: func(f *report.Fault) {
			f.Effective, f.EffectiveAt, f.HealedAt, f.DownAt, f.BackAt = false, nil, nil, nil, nil
		}, reasons: []string{report.FaultIneffective, report.TopologyGap}, says: "neither an operation nor the members"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := reporttest.NewSituation()
			if c.silent {
				s.Silence(17*bundletest.Second, 19*bundletest.Second)
			}
			in, err := read.Bundle(s.Build(t).FS())
			if err != nil {
				t.Fatal(err)
			}
			micros, duration, down, back, healed := int64(1), int64(10*bundletest.Second), moment(8), moment(9), moment(18)
			f := report.Fault{
				Name: "cut", Target: "m-1", Targets: []string{"m-1"}, DurationMicros: &duration, Effective: true, EffectiveAt: &down,
				InjectedAt: &report.Bracket{After: moment(8), Before: moment(8)}, EndedAt: &report.Bracket{After: moment(17), Before: moment(18)},
				HealedAt: &healed, P99BeforeMicros: &micros, OutageMicros: &micros, DownAt: &down, BackAt: &back,
			}
			if c.change != nil {
				c.change(&f)
			}
			var reasons []string
			said := ""
			for _, reason := range judges.Faults(in, s.Workload(), []report.Fault{f}) {
				reasons = append(reasons, reason.Reason)
				said += reason.Message + "\n"
			}
			if !slices.Equal(reasons, c.reasons) || !strings.Contains(said, c.says) {
				t.Errorf("reasons are %v, want %v: %s", reasons, c.reasons, said)
			}
		})
	}
}
