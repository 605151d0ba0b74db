package decide

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// unauthorized says what to do where the observer saw members that refuse the run's credentials; "" where
// none does.
func unauthorized(run *v1alpha1.BenchmarkRun, line *bundle.TopologyLine) string {
	if !slices.ContainsFunc(line.Members, func(m stores.MemberState) bool { return strings.HasPrefix(m.Error, stores.CodeUnauthorized) }) {
		return ""
	}
	store := &run.Spec.Store
	entry, known := catalog.Find(message.FirstOf(store.Driver, store.Name))
	switch {
	case status.HasOwnChart(run):
		return fmt.Sprintf("spec.store.chart: the members of %s ask for credentials, or for TLS, and there are no credentials for a chart yet: turn them off by a value of the chart", store.Name)
	case !status.OnEndpoints(run):
		return "" // they have what the run made for them: what they say is all there is to say
	case known && len(entry.Security.Levels) == 0:
		return fmt.Sprintf("spec.store.endpoints: the members of %s ask for credentials, or for TLS, and %s has no spec.store.security: %s: turn them off", store.Name, entry.Name, entry.Security.Lacks)
	case store.SecuritySecret == "":
		return fmt.Sprintf("spec.store.security: the members of %s ask for credentials, or for TLS: set it, and spec.store.securitySecret", store.Name)
	}
	return fmt.Sprintf("spec.store.securitySecret: the members of %s and the Secret %s don't fit each other: correct the Secret, or spec.store.security, and create the run again",
		store.Name, store.SecuritySecret)
}

// endpointsLook is how often the observer is asked what it waits for.
const endpointsLook = 5 * time.Second

// decideReach waits until the observer has seen that the endpoints are steady, and no fault that is over is at work in
// them.
func decideReach(o *state.Observed, deadline time.Duration) Decision {
	if o.Asked.Left == nil && len(status.PodsOfEndpoints(o.Run)) > 0 {
		return ask(state.AskLeft)
	}
	left, waited := leftRules(o), Since(o, v1alpha1.ConditionAccepted)
	stuck, _ := decideTrouble(o.Store.Troubles, storeReady(o.Run), o.Now)
	switch {
	case o.Store.ObserverReady && left == "":
		return Decision{Verb: DoStoreReady, Message: "the observer sees all members at spec.store.endpoints"}
	case waited >= deadline && left != "":
		reason := "RulesLeft"
		if o.Asked.Left.Trouble != "" {
			reason = "RulesUnknown"
		}
		return Fail(reason, "store %s at spec.store.endpoints: %s", o.Plan.Store.Name, left)
	case waited >= deadline:
		return Fail("EndpointsNotSteady", "store %s at spec.store.endpoints: the observer has not seen all %d members well within %s%s (correct the addresses, see to the members, or raise spec.timeouts.deploy if they are only slow)",
			o.Plan.Store.Name, len(o.Plan.Store.Members), deadline, message.Because(message.FirstOf(stuckOn(o), o.Store.Trouble, NotedTrouble(o))))
	case !o.Store.ObserverMade:
		return Decision{Verb: DoInstall}
	case stuck.Verb != "":
		return stuck.ofStore(deadline - waited)
	case left != "":
		return Decision{
			Verb: DoWait, After: min(endpointsLook, deadline-waited),
			Condition: v1alpha1.ConditionStoreReady, Reason: status.ReasonNotSteady, Message: left,
		}
	}
	return decideLook(o, min(endpointsLook, deadline-waited))
}

// decideLook asks the observer what it sees, for the condition. Endpoints have no pods of the run that
// would say what is wrong with them, and pods may be ready whose members are not well.
func decideLook(o *state.Observed, after time.Duration) Decision {
	again := Decision{Verb: DoWait, After: after}
	sample := o.Asked.Sample
	switch {
	case sample == nil && sampledWithin(o, endpointsLook):
		return again
	case sample == nil:
		return ask(state.AskSample)
	case sample.Trouble != "" || sample.Line.Steady:
		return again // it is starting, or about to be ready
	}
	again.Condition, again.Reason, again.Message = v1alpha1.ConditionStoreReady, status.ReasonNotSteady, unsteady(o.Run, sample.Line)
	return again
}

// sampledWithin says that the observer was asked in the last period. Each change of the status brings
// another pass at once, and what the observer says may differ each time.
func sampledWithin(o *state.Observed, period time.Duration) bool {
	last := o.Memory.SampledAt
	return !last.IsZero() && o.Now.Sub(last) < period
}

// unsteady says why a sample isn't steady. It leaves out what counts up, so that it is the same for the
// same trouble.
func unsteady(run *v1alpha1.BenchmarkRun, line *bundle.TopologyLine) string {
	var troubles []string
	if remedy := unauthorized(run, line); remedy != "" {
		troubles = append(troubles, remedy)
	}
	for _, member := range line.Members {
		if !member.Healthy {
			troubles = append(troubles, strings.TrimSuffix(member.Name+" is not well: "+member.Error, ": "))
		}
	}
	if len(troubles) == 0 {
		return "all members answer, and they don't agree on who leads"
	}
	return message.StableText(strings.Join(troubles, "; "))
}

// leftRules says which pods have rules of faults that are over, and what helps; "" where none has. What such rules cost
// would be taken for the store's own.
func leftRules(o *state.Observed) string {
	left := o.Asked.Left
	switch {
	case left == nil:
		return ""
	case left.Trouble != "":
		return left.Trouble
	}
	var found []string
	for _, pod := range slices.Sorted(maps.Keys(left.Faults)) {
		found = append(found, fmt.Sprintf("the pod %s still has rules of %s", pod, message.List(left.Faults[pod], 4)))
	}
	if len(found) == 0 {
		return ""
	}
	return strings.Join(found, ", ") + ": Chaos Mesh has not taken back a fault that is over; see that its controller and its daemons run, or delete these pods, and the rules go with them"
}
