package compile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/rate"
)

// recovery is how long before the end of its measurement a fault is over, so that the recovery can be seen. The rule
// of spec.faults[].at has the same time for a fault that doesn't last.
const recovery = 10 * time.Second

// checkDuration looks whether a fault that lasts says for how long, and is over in time. measured is how long its
// workload is measured.
func checkDuration(i int, fault *v1alpha1.FaultSpec, action faults.Action, measured time.Duration) error {
	at, lasts := fault.At.Or(0), or(fault.Duration, 0)
	switch {
	case !action.Lasts && fault.Duration != nil:
		return refuse(ReasonInvalidFault, "spec.faults[%d].duration: %s ends with its injection: leave duration out", i, action.Name)
	case !action.Lasts:
		return nil
	case lasts < time.Millisecond:
		return refuse(ReasonInvalidFault, "spec.faults[%d].duration: %s lasts until it is healed: say for how long, such as 10s", i, action.Name)
	case at+lasts+recovery > measured:
		return refuse(ReasonInvalidFault, "spec.faults[%d].duration: the fault begins at %s, lasts %s and is to be over %s before the end, and its workload is measured for %s: lower at or duration, or raise the duration of the workload",
			i, at, lasts, recovery, measured)
	}
	return nil
}

// measured is how long the workload of that name is measured. It is 0 where nobody knows, which the rules of the API
// refuse for a workload with faults.
func measured(workloads []plan.Workload, name string) time.Duration {
	i := slices.IndexFunc(workloads, func(w plan.Workload) bool { return w.Name == name })
	if i < 0 {
		return 0
	}
	lasts, _ := rate.Lasts(&workloads[i])
	return lasts
}

// parametersOf are the parameters of the fault's action; nil where the spec has none. Those of another action are
// refused. So the union in the API needs no rule for each of its members.
func parametersOf(i int, fault *v1alpha1.FaultSpec, action faults.Action) (json.RawMessage, error) {
	text, err := json.Marshal(fault.FaultParameters)
	if err != nil {
		return nil, fmt.Errorf("writing the parameters of fault %s: %w", fault.Name, err)
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, fmt.Errorf("reading the parameters of fault %s: %w", fault.Name, err)
	}
	own := strings.ToLower(action.Name[:1]) + action.Name[1:]
	for name := range members {
		if name != own || action.CheckParameters == nil {
			return nil, refuse(ReasonInvalidFault, "spec.faults[%d].%s: these are not parameters of %s: leave them out, or correct the action", i, name, action.Name)
		}
	}
	if action.CheckParameters == nil {
		return nil, nil
	}
	if err := action.CheckParameters(members[own]); err != nil {
		return nil, refuse(ReasonInvalidFault, "spec.faults[%d].%s: %s", i, own, err)
	}
	return members[own], nil
}
