package decide

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/faults"
)

// Some faults leave rules in the network namespaces of their pods, which Chaos Mesh takes away before it lets go of
// the fault's object. Nothing else may remove such an object while one of the pods is there, and no run is cleaned up
// while nobody can say what is in them.

// leavesRules says that the fault is of an action that leaves rules in its pods.
func leavesRules(o *state.Observed, name string) bool {
	action, _ := faults.Find(actionOf(o, name))
	return action.LeavesRules
}

// actionOf is the action of a fault. Late in a teardown there is no plan.
func actionOf(o *state.Observed, name string) string {
	if fault, found := FindPlanned(o.Plan, name); found {
		return fault.Action
	}
	for i := range o.Run.Spec.Faults {
		if o.Run.Spec.Faults[i].Name == name {
			return o.Run.Spec.Faults[i].Action
		}
	}
	return ""
}

// mayForce says that nothing stays behind when a fault's object is removed by force.
func mayForce(o *state.Observed, name string) bool { return !leavesRules(o, name) || podsGone(o, name) }

// podsGone says that none of the pods is there that the fault was made for. A pod that was replaced is gone.
func podsGone(o *state.Observed, name string) bool {
	object, sides := o.Faults[name], status.SidesOf(status.FindFault(o.Run, name))
	if o.Asked.Pods == nil || len(sides.Targets) == 0 || object.Exists && !object.Sides.Equal(sides) {
		return false
	}
	return !slices.ContainsFunc(sides.All(), func(pod string) bool {
		now := o.Asked.Pods[pod]
		return now != "" && (object.Pods[pod] == "" || now == object.Pods[pod])
	})
}

// inDoubt names the faults that may have left rules in their pods, although no object of them is seen.
func inDoubt(o *state.Observed) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(o.UnlistedFaults)) {
		if leavesRules(o, name) && !podsGone(o, name) {
			names = append(names, name)
		}
	}
	return names
}

// needsPods says that it depends on the faults' pods what may be removed.
func needsPods(o *state.Observed) bool {
	if o.Asked.Pods != nil {
		return false
	}
	if len(inDoubt(o)) > 0 {
		return true
	}
	for name, object := range o.Faults {
		if object.Exists && HeldFor(o, object) > HealDeadline && leavesRules(o, name) {
			return true
		}
	}
	return false
}

// Unhealed says of each fault that may be at work in its pods, and that nothing here can heal, why that is so and what
// helps.
func Unhealed(o *state.Observed) []string {
	var all []string
	say := func(name, why string) {
		pods := status.SidesOf(status.FindFault(o.Run, name)).All()
		all = append(all, fmt.Sprintf("fault %s may still be at work in the pods %s: %s", name, strings.Join(pods, ", "), why))
	}
	for _, name := range slices.Sorted(maps.Keys(o.Faults)) {
		if object := o.Faults[name]; object.Deleting && HeldFor(o, object) > HealDeadline && !mayForce(o, name) {
			say(name, "Chaos Mesh holds on to its object; see that Chaos Mesh's controller and its daemons run")
		}
	}
	for _, name := range inDoubt(o) {
		say(name, "its object can't be listed; install the definitions of Chaos Mesh again")
	}
	return all
}
