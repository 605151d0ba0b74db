package outage

import (
	"math"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
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
	impact impact // when injected and the workload was measured
}

func (f *injection) injected() bool { return read.Injected(f.line) }

// next is when the next fault of any workload was injected, at the earliest: what members show
// from then on may be its doing.
func (f *injection) next(all []bundle.FaultLine) instant.Unix {
	next := never
	for i := range all {
		if l := &all[i]; read.Injected(l) && l.InjectedAfterUnixNanos > f.line.InjectedAfterUnixNanos {
			next = min(next, instant.Unix(l.InjectedAfterUnixNanos))
		}
	}
	return next
}

// injectedAfter is when a fault was injected at the earliest. Faults that weren't injected come last.
func injectedAfter(f *injection) instant.Unix {
	if !f.injected() {
		return never
	}
	return instant.Unix(f.line.InjectedAfterUnixNanos)
}

func (f *injection) hitLeader() bool {
	return f.plan.Target.Role == plan.RoleLeader || (f.out.LeaderBefore != "" && f.out.Target == f.out.LeaderBefore)
}
