package compile

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

// faultDeadline bounds the time from due to injected.
const faultDeadline = 30 * time.Second

func compileFaults(spec *v1alpha1.BenchmarkRunSpec, workloads []plan.Workload, entry *stores.Entry, mode *stores.Mode) ([]plan.Fault, error) {
	var compiled []plan.Fault
	for i := range spec.Faults {
		fault := &spec.Faults[i]
		action, ok := faults.Find(fault.Action)
		if !ok {
			return nil, refuse(ReasonUnknownAction, "spec.faults[%d].action: there is no fault %q: %s",
				i, fault.Action, suggest(fault.Action, faults.Names()))
		}
		if losesData(&spec.Store, action) && entry.NeedsData != "" && !rejoins(&spec.Store, entry) {
			return nil, refuse(ReasonNeedsPersistence, "spec.faults[%d].action: %s loses the data of ephemeral storage, and %s: set spec.store.storage.ephemeral: false, or use ContainerKill%s",
				i, fault.Action, entry.NeedsData, orMoreNodes(entry))
		}
		target, err := compileTarget(i, fault.Target, &spec.Store, entry.Name, mode)
		if err != nil {
			return nil, err
		}
		workload := fault.Workload
		if workload == "" {
			workload = spec.Workloads[0].Name
		}
		if err := checkRejoin(i, spec, entry); err != nil {
			return nil, err
		}
		if action.HasPeers && spec.Store.Nodes < 2 {
			return nil, refuse(ReasonUnsupportedTarget, "spec.faults[%d].action: %s separates a member from all others, and the only node has none: raise spec.store.nodes", i, fault.Action)
		}
		if err := checkDuration(i, fault, action, measured(workloads, workload)); err != nil {
			return nil, err
		}
		parameters, err := parametersOf(i, fault, action)
		if err != nil {
			return nil, err
		}
		compiled = append(compiled, plan.Fault{
			Name:           fault.Name,
			Action:         fault.Action,
			Workload:       workload,
			Target:         target,
			AtMillis:       fault.At.Or(0).Milliseconds(),
			DurationMillis: or(fault.Duration, 0).Milliseconds(),
			Parameters:     parameters,
			DeadlineMillis: faultDeadline.Milliseconds(),
		})
	}
	if err := checkReplaced(compiled); err != nil {
		return nil, err
	}
	return compiled, nil
}

// checkReplaced refuses a fault that replaces a pod while another one separates all members: the new pod would escape
// that, and the run could not be valid.
func checkReplaced(compiled []plan.Fault) error {
	for i := range compiled {
		kill := &compiled[i]
		if action, _ := faults.Find(kill.Action); !action.ReplacesPod {
			continue
		}
		for k := range compiled {
			cut := &compiled[k]
			action, _ := faults.Find(cut.Action)
			from, to := cut.AtMillis, cut.AtMillis+cut.DurationMillis
			if action.HasPeers && cut.Workload == kill.Workload && from <= kill.AtMillis && kill.AtMillis <= to {
				return refuse(ReasonInvalidFault, "spec.faults[%d].at: the pod is replaced at %s, and spec.faults[%d] lasts from %s to %s: the new pod would escape it: change at, or use ContainerKill, which keeps the pod",
					i, millis(kill.AtMillis), k, millis(from), millis(to))
			}
		}
	}
	return nil
}

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// rejoinGap is how far apart faults have to be where a member loses data which it needs: the others
// take it in, and have to be there for it.
const rejoinGap = time.Minute

// checkRejoin refuses a fault that comes too soon before or after one by which a member loses data
// that it needs. Those of two workloads are not compared: between them the run waits until the
// member is back and all are well, and where it can't, the second isn't valid.
func checkRejoin(i int, spec *v1alpha1.BenchmarkRunSpec, entry *stores.Entry) error {
	if entry.NeedsData == "" || !spec.Store.Storage.Ephemeral {
		return nil
	}
	workloadOf := func(f *v1alpha1.FaultSpec) string { return cmp.Or(f.Workload, spec.Workloads[0].Name) }
	fault := &spec.Faults[i]
	for k := range spec.Faults[:i] {
		other := &spec.Faults[k]
		apart := (fault.At.Or(0) - other.At.Or(0)).Abs()
		if workloadOf(fault) == workloadOf(other) && apart < rejoinGap && (replacesPod(fault) || replacesPod(other)) {
			return refuse(ReasonNeedsPersistence, "spec.faults[%d].at: is %s from that of spec.faults[%d], and one of them loses a member's data, which the others have to take in again: leave %s between them, or set spec.store.storage.ephemeral: false",
				i, apart, k, rejoinGap)
		}
	}
	return nil
}

func replacesPod(fault *v1alpha1.FaultSpec) bool {
	action, ok := faults.Find(fault.Action)
	return ok && action.ReplacesPod
}

// losesData says that the fault's member comes back without its data.
func losesData(store *v1alpha1.StoreSpec, action faults.Action) bool {
	return action.ReplacesPod && store.Storage.Ephemeral
}

func orMoreNodes(entry *stores.Entry) string {
	if entry.RejoinsFrom == 0 {
		return ""
	}
	return fmt.Sprintf(", or spec.store.nodes: %d", entry.RejoinsFrom)
}

// needsRejoin says that a fault of the run makes a member lose data which it needs.
func needsRejoin(spec *v1alpha1.BenchmarkRunSpec, entry *stores.Entry) bool {
	return entry.NeedsData != "" && spec.Store.Storage.Ephemeral &&
		slices.ContainsFunc(spec.Faults, func(fault v1alpha1.FaultSpec) bool { return replacesPod(&fault) })
}

// rejoins says that the store's chart can help such a member back.
func rejoins(store *v1alpha1.StoreSpec, entry *stores.Entry) bool {
	return entry.RejoinsFrom > 0 && int(store.Nodes) >= entry.RejoinsFrom
}

func compileTarget(i int, spec *v1alpha1.FaultTarget, store *v1alpha1.StoreSpec, name string, mode *stores.Mode) (plan.Target, error) {
	switch {
	case spec == nil:
		return plan.Target{Role: plan.RoleAny}, nil
	case spec.Member != nil:
		member := int(*spec.Member)
		if member >= int(store.Nodes) {
			return plan.Target{}, refuse(ReasonUnsupportedTarget, "spec.faults[%d].target.member: %d nodes are members 0 to %d, so there is no member %d: lower it, or raise spec.store.nodes",
				i, store.Nodes, store.Nodes-1, member)
		}
		return plan.Target{Member: &member}, nil
	case spec.Role != plan.RoleAny && mode.Leader == "":
		return plan.Target{}, refuse(ReasonUnsupportedTarget, "spec.faults[%d].target.role: of the members of %s in its mode %s none leads all others, so none is %s: use role Any, or a member",
			i, name, mode.Name, spec.Role)
	case spec.Role == plan.RoleFollower && store.Nodes == 1:
		return plan.Target{}, refuse(ReasonUnsupportedTarget, "spec.faults[%d].target.role: the only node is the %s, so none follows it: raise spec.store.nodes, or use role Leader", i, mode.Leader)
	}
	return plan.Target{Role: spec.Role}, nil
}
