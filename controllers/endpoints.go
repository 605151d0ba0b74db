package controllers

import (
	"context"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
			o.Plan.Store.Name, len(o.Plan.Store.Members), deadline, because(firstOf(stuckOn(o), o.Store.Trouble, seenBefore(o.Run))))
	case !o.Store.ObserverMade:
		return decision{Verb: doInstall}
	}
	if stuck, _ := decideTrouble(o.Store.Troubles, storeReady(o.Run), o.Now); stuck.Verb != "" {
		return stuck.ofStore(deadline - since(o, v1alpha1.ConditionAccepted))
	}
	return decision{Verb: doLook, After: min(endpointsLook, deadline-since(o, v1alpha1.ConditionAccepted))}
}

// look asks the observer what it sees, for the condition: endpoints have no pods of the run that
// would say what is wrong with them, and others' pods may be ready and their members not well.
func (r *Reconciler) look(ctx context.Context, o *observed) {
	if !r.mayLook(o, endpointsLook) {
		return
	}
	line, err := r.sample(ctx, o)
	if err != nil || line.Steady {
		return // it is starting, or about to be ready
	}
	setCondition(o.Run, v1alpha1.ConditionStoreReady, metav1.ConditionUnknown, reasonNotSteady, unsteady(o.Run, line))
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
