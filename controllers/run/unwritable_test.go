package run

import (
	"context"
	"errors"
	"testing"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/kvbench/kvbench/controllers"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
)

// The queue passes over a run that isn't admitted a while after it was seen.
func TestARunThatCannotBeWrittenIsSeenAllTheSame(t *testing.T) {
	run := statetest.Given().Run
	run.Finalizers = nil
	denied := errors.New("denied by policy")
	r := &Reconciler{Set: clients.Set{Client: fake.NewClientBuilder().WithScheme(controllers.Scheme()).WithObjects(run).
		WithInterceptorFuncs(interceptor.Funcs{Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
			return denied
		}}).Build()}}
	if _, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: keyOfRun(run)}); !errors.Is(err, denied) {
		t.Fatalf("the pass ended with %v", err)
	}
	if r.memories.firstSeen(run).IsZero() {
		t.Error("it was never seen: it is waited for, for ever")
	}
}
