package decide

import (
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

// decideIntend chooses the target of a fault that is due, on a fresh sample of the members.
func decideIntend(o *state.Observed, fault plan.Fault) Decision {
	sample := o.Asked.Sample
	if sample == nil {
		return ask(state.AskSample)
	}
	d := Decision{Verb: DoIntendFault, Fault: fault.Name, After: 200 * time.Millisecond}
	if sample.Trouble != "" {
		d.Message = "the observer gave no fresh look at the members: " + sample.Trouble
		return d
	}
	target, err := ChooseTarget(o.Plan, fault, sample.Line)
	if err != nil {
		d.Message = err.Error()
		return d
	}
	d.Sides = sidesOf(o.Plan, fault, target)
	return d
}

// sidesOf are the fault's target and, where it separates that from the others, all other members.
func sidesOf(p *plan.Plan, fault plan.Fault, target string) faults.Sides {
	sides := faults.Sides{Targets: []string{target}}
	if action, _ := faults.Find(fault.Action); !action.HasPeers {
		return sides
	}
	for _, member := range p.Store.Members {
		if member.Name != target {
			sides.Peers = append(sides.Peers, member.Name)
		}
	}
	slices.Sort(sides.Peers)
	return sides
}

// ChooseTarget resolves a fault's target on a fresh sample. Only members of the plan are
// ever chosen, whatever the sample names.
func ChooseTarget(p *plan.Plan, fault plan.Fault, line *bundle.TopologyLine) (string, error) {
	if fault.Target.Member != nil {
		if index := *fault.Target.Member; index >= 0 && index < len(p.Store.Members) {
			return p.Store.Members[index].Name, nil
		}
		return "", fmt.Errorf("there is no member %d", *fault.Target.Member)
	}
	roles := map[string]stores.MemberState{}
	for _, state := range line.Members {
		roles[state.Name] = state
	}
	var fitting []string
	for _, member := range p.Store.Members {
		state := roles[member.Name]
		switch {
		case fault.Target.Role == plan.RoleLeader && member.Name != line.Leader:
		case fault.Target.Role == plan.RoleFollower && (state.Role != stores.MemberFollower || !state.Healthy):
		default:
			fitting = append(fitting, member.Name)
		}
	}
	if len(fitting) == 0 {
		return "", fmt.Errorf("no member has the role %s now", fault.Target.Role)
	}
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%d/%s", p.Seed, fault.Name)
	return fitting[hash.Sum64()%uint64(len(fitting))], nil
}
