package controllers

import (
	"strings"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/bundle"
)

// onEndpoints says that the store runs already: there is no release, and nothing of it is the
// run's.
func onEndpoints(run *v1alpha1.BenchmarkRun) bool { return len(run.Spec.Store.Endpoints) > 0 }

// Reasons of StoreReady while endpoints are waited for.
const (
	reasonReaching  = "Reaching"
	reasonNotSteady = "NotSteady"

	reachingMessage = "waiting until the observer sees the members at spec.store.endpoints"
)

// endpointsLook is how often the observer is asked what it waits for.
const endpointsLook = 5 * time.Second

// decideReach waits until the observer has seen that the endpoints are steady.
func decideReach(o *observed, deadline time.Duration) decision {
	switch {
	case o.Store.ObserverReady:
		return decision{Verb: doStoreReady, Message: "the observer sees all members at spec.store.endpoints"}
	case since(o, v1alpha1.ConditionAccepted) >= deadline:
		return fail("EndpointsNotSteady", "store %s at spec.store.endpoints: the observer has not seen all %d members well within %s%s (correct the addresses, see to the members, or raise spec.timeouts.deploy if they are only slow)",
			o.Plan.Store.Name, len(o.Plan.Store.Members), deadline, because(firstOf(stuckOn(o), o.Store.Trouble, notedTrouble(o))))
	case !o.Store.ObserverMade:
		return decision{Verb: doInstall}
	}
	if stuck, _ := decideTrouble(o.Store.Troubles, storeReady(o.Run), o.Now); stuck.Verb != "" {
		return stuck.ofStore(deadline - since(o, v1alpha1.ConditionAccepted))
	}
	return decideLook(o, min(endpointsLook, deadline-since(o, v1alpha1.ConditionAccepted)))
}

// decideLook asks the observer what it sees, for the condition. Endpoints have no pods of the run that
// would say what is wrong with them, and pods may be ready whose members are not well.
func decideLook(o *observed, after time.Duration) decision {
	again := decision{Verb: doWait, After: after}
	sample := o.Asked.Sample
	switch {
	case sample == nil && sampledWithin(o, endpointsLook):
		return again
	case sample == nil:
		return ask(askSample)
	case sample.Trouble != "" || sample.Line.Steady:
		return again // it is starting, or about to be ready
	}
	again.Condition, again.Reason, again.Message = v1alpha1.ConditionStoreReady, reasonNotSteady, unsteady(o.Run, sample.Line)
	return again
}

// sampledWithin says that the observer was asked such a short time ago. Each change of the status
// brings another pass at once, and what the observer says may differ each time.
func sampledWithin(o *observed, period time.Duration) bool {
	last := o.Memory.SampledAt
	return !last.IsZero() && o.Now.Sub(last) < period
}

// unsteady says why a line isn't steady, without what counts.
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
	return stableText(strings.Join(troubles, "; "))
}
