package report

import (
	"cmp"
	"fmt"

	"github.com/kvbench/kvbench/internal/plan"
)

// judgeFaults says which faults make the run not valid.
func judgeFaults(in *Input, w *plan.Workload, faults []Fault) []Reason {
	var reasons []Reason
	for i := range faults {
		f := &faults[i]
		say := func(reason, format string, args ...any) {
			reasons = append(reasons, Reason{Reason: reason, Workload: w.Name, Fault: f.Name, Message: fmt.Sprintf(format, args...)})
		}
		m := in.Workloads[w.Name]
		if m == nil {
			say(FaultNotInjected, "fault %q: its workload %q was not measured", f.Name, w.Name)
			continue
		}
		if f.InjectedAt == nil {
			why := cmp.Or(f.Error, "the controller recorded no injection")
			say(FaultNotInjected, "fault %q was not injected: %s", f.Name, why)
			continue
		}
		if f.InjectedAt.After.SinceStartMicros >= m.clock.measuredDuration {
			say(FaultNotInjected, "fault %q was injected after the end of the measurement", f.Name)
			continue
		}
		unseen := f.DownAt == nil && (f.EffectiveAt == nil || f.EffectiveAt.SinceStartMicros >= m.clock.measuredDuration)
		if unseen && f.InjectedAt.Before.SinceStartMicros >= m.clock.measuredDuration {
			say(FaultNotInjected, "fault %q may have been injected after the end of the measurement: between %s and %s", f.Name, f.InjectedAt.After.Time, f.InjectedAt.Before.Time)
			continue
		}
		if !f.Effective {
			say(FaultIneffective, "%s", ineffective(f))
		}
		// Where nothing succeeds at all, nothing can be overdue.
		if f.P99BeforeMicros == nil && f.DownAt != nil && m.latencies.any(succeeded) {
			say(OverdueUnknown, "nothing succeeded before fault %q that tells what is overdue: inject it later, or let a warm-up come first", f.Name)
		}
		if gap, at := silence(in, w, f); gap > maxTopologyGap {
			say(TopologyGap, "the observer was silent for %s from %s on, around fault %q", gap.Round(1e6), rfc3339(at), f.Name)
		}
	}
	return reasons
}

func ineffective(f *Fault) string {
	if f.EffectiveAt == nil && f.DownAt != nil {
		return fmt.Sprintf("fault %q was injected, and its target %q was there throughout: what operations met has another cause", f.Name, f.Target)
	}
	if f.EffectiveAt == nil {
		return fmt.Sprintf("fault %q was injected, and neither an operation nor the members showed it", f.Name)
	}
	return fmt.Sprintf("fault %q hit the leader %q, and neither the leader nor the term (%d) changed", f.Name, f.LeaderBefore, f.TermBefore)
}
