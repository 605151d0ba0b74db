package initialize

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
)

// fault is an action of the catalog on a member by its role. Its name is the answer, such as LeaderPodKill.
type fault struct {
	name   string
	action faults.Action
	role   string
}

const noFault = "None"

// who are the roles, with how an answer and a sentence call them.
var who = []struct{ role, name, text string }{
	{plan.RoleLeader, "Leader", "the member that leads"},
	{plan.RoleFollower, "Follower", "a member that follows"},
	{plan.RoleAny, "Member", "any member"},
}

// effects are what actions do to a member. One that isn't here is called by its name.
var effects = map[string]string{
	"ContainerKill": "has its process killed (SIGKILL)",
	"PodKill":       "has its pod deleted without grace",
	"Partition":     "is cut off from all others",
}

// allFaults are the answers beside None, whether a store can have them or not.
func allFaults() (all []fault) {
	for _, name := range faults.Names() {
		action, _ := faults.Find(name)
		for _, w := range who {
			all = append(all, fault{w.name + strings.TrimPrefix(name, "Container"), action, w.role})
		}
	}
	return all
}

// meaning says what happens, as a sentence without an end.
func (f *fault) meaning() string {
	text := f.role
	for _, w := range who {
		if w.role == f.role {
			text = w.text
		}
	}
	effect := effects[f.action.Name]
	if effect == "" {
		effect = "has a " + f.action.Name
	}
	if f.action.Lasts {
		effect += fmt.Sprintf(" for %ds", faultSeconds)
	}
	return text + " " + effect
}

// faultOptions are those that the store can have, with so many members.
func faultOptions(a *answers) []option {
	options := []option{{noFault, "nothing breaks"}}
	for _, f := range allFaults() {
		if a.withFault(f).possible() == nil {
			options = append(options, option{f.name, f.meaning()})
		}
	}
	return options
}

// byDefaultFault is the kill of the leader, or of any member where none leads.
func byDefaultFault(a *answers) string {
	possible := valuesOf(faultOptions(a))
	for _, wanted := range []string{"LeaderKill", "MemberKill"} {
		if slices.Contains(possible, wanted) {
			return wanted
		}
	}
	return noFault
}

func takeFault(a *answers, value string) error {
	if strings.EqualFold(value, noFault) {
		a.fault = fault{}
		return nil
	}
	for _, f := range allFaults() {
		if !strings.EqualFold(f.name, value) {
			continue
		}
		with := a.withFault(f)
		if err := with.possible(); err != nil {
			return fmt.Errorf("%s. Possible are %s", reason(err), strings.Join(valuesOf(faultOptions(a)), ", "))
		}
		*a = *with
		return nil
	}
	return errors.New("there is no such fault: " + instead(value, valuesOf(faultOptions(a))))
}

func (a *answers) withFault(f fault) *answers {
	with := *a
	with.fault = f
	return &with
}
