package judge

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/latency"
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/report/read"
)

// Faults says which faults make the run not valid.
func Faults(in *read.Input, w *plan.Workload, faults []report.Fault) []report.Reason {
	var reasons []report.Reason
	for i := range faults {
		f := &faults[i]
		say := func(reason, format string, args ...any) {
			reasons = append(reasons, report.Reason{Reason: reason, Workload: w.Name, Fault: f.Name, Message: fmt.Sprintf(format, args...)})
		}
		m := in.Workloads[w.Name]
		if m == nil {
			say(report.FaultNotInjected, "fault %q: its workload %q was not measured", f.Name, w.Name)
			continue
		}
		if f.InjectedAt == nil {
			why := cmp.Or(f.Error, "the controller recorded no injection")
			say(report.FaultNotInjected, "fault %q was not injected: %s", f.Name, why)
			continue
		}
		if f.InjectedAt.After.SinceStartMicros >= m.Clock.MeasurementEnd() {
			say(report.FaultNotInjected, "fault %q was injected after the end of the measurement", f.Name)
			continue
		}
		unseen := f.DownAt == nil && (f.EffectiveAt == nil || f.EffectiveAt.SinceStartMicros >= m.Clock.MeasurementEnd())
		if unseen && f.InjectedAt.Before.SinceStartMicros >= m.Clock.MeasurementEnd() {
			say(report.FaultNotInjected, "fault %q may have been injected after the end of the measurement: between %s and %s", f.Name, f.InjectedAt.After.Time, f.InjectedAt.Before.Time)
			continue
		}
		switch {
		case !f.Lasts():
		case f.EndedAt == nil:
			say(report.FaultEndUnknown, "nobody saw the end of fault %q, which lasts until it is healed: its outage is a lower bound, and later faults may have met it", f.Name)
		case f.Reason == bundle.FaultEndedEarly:
			say(report.FaultEndUnknown, "fault %q ended by itself, between %s and %s: nobody knows for how long it was at work", f.Name, f.EndedAt.After.Time, f.EndedAt.Before.Time)
		case f.Reason == bundle.FaultPodReplaced:
			say(report.FaultPodReplaced, "fault %q did not last on all of its members: %s", f.Name, f.Error)
		}
		if bounds, off := durationMissed(f); off {
			say(report.FaultDurationMissed, "fault %q was to last for %s, and it lasted for %s", f.Name, micros(*f.DurationMicros), bounds)
		}
		if !f.Effective {
			say(report.FaultIneffective, "%s", ineffective(f))
		}
		// If nothing succeeds at all, nothing can be overdue.
		if f.P99BeforeMicros == nil && f.DownAt != nil && m.Latencies.Any(latency.Succeeded) {
			say(report.OverdueUnknown, "nothing succeeded before fault %q that tells what is overdue: inject it later, or let a warm-up come first", f.Name)
		}
		if gap, at := silence(in, w, f); gap > limits.MaxTopologyGap {
			say(report.TopologyGap, "the observer was silent for %s from %s on, around fault %q", gap.Round(1e6), at.RFC3339(), f.Name)
		}
	}
	return reasons
}

func ineffective(f *report.Fault) string {
	if f.EffectiveAt == nil && f.PartOf != "" {
		return fmt.Sprintf("fault %q was injected, and its target %q did not show it: what else was seen may be the doing of fault %q, or of another one of its episode", f.Name, strings.Join(f.Hit(), ", "), f.PartOf)
	}
	if f.EffectiveAt == nil && f.DownAt != nil && f.Lasts() {
		return fmt.Sprintf("fault %q was injected, and its target %q did not show it: the outage began when a later fault was at work, or long after the injection", f.Name, strings.Join(f.Hit(), ", "))
	}
	if f.EffectiveAt == nil && f.DownAt != nil {
		return fmt.Sprintf("fault %q was injected, and its target %q was there throughout: what operations met has another cause", f.Name, strings.Join(f.Hit(), ", "))
	}
	if f.EffectiveAt == nil {
		return fmt.Sprintf("fault %q was injected, and neither an operation nor the members showed it", f.Name)
	}
	return fmt.Sprintf("fault %q hit the leader %q, and neither the leader nor the term (%d) changed", f.Name, f.LeaderBefore, f.TermBefore)
}
