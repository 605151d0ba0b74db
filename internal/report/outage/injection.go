package outage

import (
	"math"
	"slices"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/clocks"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/limits"
	"github.com/kvbench/kvbench/internal/report/read"
)

// never is later than everything that was written.
const never = instant.Unix(math.MaxInt64)

// injection is a planned fault, what the controller wrote about it, and what it did.
type injection struct {
	plan   *plan.Fault
	action faults.Action     // zero of a plan that names another
	line   *bundle.FaultLine // nil without one
	out    report.Fault
	impact impact // when injected and the workload was measured; whole for the first fault of an episode
	// It ended in [endedAfter, ended]. ended is the injection's upper end if the fault ends with it, and the end of the
	// record if the end was not seen.
	endedAfter, ended instant.FromStart
	alone             instant.Unix // as episode.alone says
	seen              evidence
}

func (f *injection) injected() bool { return read.Injected(f.line) }

// injectedAfter is when a fault was injected at the earliest.
func injectedAfter(f *injection) instant.Unix { return instant.Unix(f.line.InjectedAfterUnixNanos) }

func (f *injection) hitLeader() bool {
	return f.plan.Target.Role == plan.RoleLeader || f.out.LeaderBefore != "" && slices.Contains(f.out.Hit(), f.out.LeaderBefore)
}

// place sets the brackets of the injection and of the end, and widens them by the errors of the workers' clocks and of
// the controller's.
func (f *injection) place(c instant.Clock, clockMicros *int64) {
	bound := *clocks.MicrosUp(&f.line.ClockBoundNanos)
	if clockMicros != nil {
		bound += *clockMicros
	}
	bound = min(bound, limits.MaxWideningMicros)
	bracket := func(after, before int64) (from, to instant.FromStart) {
		from = max(0, c.FromStart(instant.Unix(after)).Plus(-bound))
		return from, max(from, c.FromStart(instant.Unix(before)).Plus(bound))
	}
	q := &f.impact
	q.after, q.before = bracket(f.line.InjectedAfterUnixNanos, f.line.InjectedBeforeUnixNanos)
	f.out.InjectedAt = &report.Bracket{After: *c.Moment(q.after), Before: *c.Moment(q.before)}
	f.ended = q.before
	switch {
	case !f.action.Lasts:
	case read.Ended(f.line):
		f.endedAfter, f.ended = bracket(f.line.EndedAfterUnixNanos, f.line.EndedBeforeUnixNanos)
		f.out.EndedAt = &report.Bracket{After: *c.Moment(f.endedAfter), Before: *c.Moment(f.ended)}
	default:
		f.ended = max(q.before, c.Recorded)
	}
}
