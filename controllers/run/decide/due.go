package decide

import (
	"slices"
	"time"

	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
)

// HasFaults says that the plan has faults in the workload.
func HasFaults(p *plan.Plan, workload string) bool {
	return slices.ContainsFunc(p.Faults, func(f plan.Fault) bool { return f.Workload == workload })
}

// FaultDue is when a fault is due, on the results server's clock.
func FaultDue(w *plan.Workload, fault plan.Fault, startUnixNanos int64) time.Time {
	return time.Unix(0, startUnixNanos).Add(time.Duration(w.Load.WarmupMillis+fault.AtMillis) * time.Millisecond)
}

// IsMember says that the plan's store has a member of that name.
func IsMember(p *plan.Plan, name string) bool {
	return slices.ContainsFunc(p.Store.Members, func(m plan.Member) bool { return m.Name == name })
}

// AreMembers says that all pods of both sides are members of the plan's store, and that there are targets.
func AreMembers(p *plan.Plan, sides faults.Sides) bool {
	return len(sides.Targets) > 0 && !slices.ContainsFunc(sides.All(), func(name string) bool { return !IsMember(p, name) })
}

// FindPlanned is the plan's fault of that name.
func FindPlanned(p *plan.Plan, name string) (plan.Fault, bool) {
	if p == nil {
		return plan.Fault{}, false
	}
	for _, fault := range p.Faults {
		if fault.Name == name {
			return fault, true
		}
	}
	return plan.Fault{}, false
}
