package decide

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/controllers/message"
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

// podsGone says that none of the pods is there that the fault was made for.
func podsGone(o *state.Observed, name string) bool {
	object, sides := o.Faults[name], status.SidesOf(status.FindFault(o.Run, name))
	if o.Asked.Pods == nil || len(sides.Targets) == 0 || object.Exists && !object.Sides.Equal(sides) {
		return false
	}
	return !slices.ContainsFunc(sides.All(), func(pod string) bool { return !podGone(o, name, pod) })
}

// podGone says that the pod isn't there that the fault was made for. A pod that was replaced is gone. One whose
// address alone became another is there, with its rules.
func podGone(o *state.Observed, name, pod string) bool {
	then := message.FirstOf(status.PodUID(status.FindFault(o.Run, name), pod), o.Faults[name].Pods.UID(pod))
	now := o.Asked.Pods.UID(pod)
	return now == "" || then != "" && now != then
}

// openQuestion is what must be asked before anybody can say what may be removed, and what stays.
func openQuestion(o *state.Observed) (state.Question, bool) {
	for i := range o.Run.Status.Faults {
		if question, asks := doubtAsks(o, o.Run.Status.Faults[i].Name); asks {
			return question, true
		}
	}
	for name, object := range o.Faults {
		if o.Asked.Pods == nil && object.Exists && HeldFor(o, object) > HealDeadline && leavesRules(o, name) {
			return state.AskPods, true
		}
	}
	return "", false
}

// Unhealed says of each fault that may be at work in its pods, and that nothing here can heal, why that is so and what
// helps.
func Unhealed(o *state.Observed) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(o.Faults)) {
		if object := o.Faults[name]; object.Deleting && HeldFor(o, object) > HealDeadline && !mayForce(o, name) {
			pods := status.SidesOf(status.FindFault(o.Run, name)).All()
			all = append(all, atWork(name, pods)+": Chaos Mesh holds on to its object; see that Chaos Mesh's controller and its daemons run")
		}
	}
	for _, name := range inDoubt(o) {
		all = append(all, doubt(o, name))
	}
	return all
}

func atWork(name string, pods []string) string {
	return fmt.Sprintf("fault %s may still be at work in the pods %s", name, strings.Join(pods, ", "))
}
