package controllers

import (
	"context"
	"fmt"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/faults"
)

// ask answers a question of decide, in o.
func (r *Reconciler) ask(ctx context.Context, o *observed, q question) (err error) {
	switch q {
	case askNewest:
		o.Asked.Newest, err = r.isNewest(ctx, o.Run)
	case askFaults:
		o.Asked.Faults, err = r.faultsPastCache(ctx, o)
	case askClocks:
		o.Asked.Clocks = &clockComparison{}
		if err := r.time.ask(ctx, r.Results); err != nil {
			o.Asked.Clocks.Trouble = stable(err)
		}
		o.Asked.Clocks.Apart = r.time.off()
	case askSample:
		o.Asked.Sample, o.Memory.SampledAt = &memberSample{}, o.Now
		line, err := r.sample(ctx, o)
		if err != nil {
			o.Asked.Sample.Trouble = stable(err)
		}
		o.Asked.Sample.Line = line
	default:
		return fmt.Errorf("nobody answers the question %q: this is a bug", q)
	}
	return err
}

// isNewest looks past the cache whether the run is as it was read. A run that was refused a moment
// ago would be admitted once more, and keep what that makes if this process is killed in it. The
// later steps' writes tell by the names that they were done before.
func (r *Reconciler) isNewest(ctx context.Context, run *v1alpha1.BenchmarkRun) (*bool, error) {
	current := &metav1.PartialObjectMetadata{}
	current.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("BenchmarkRun"))
	err := r.Direct.Get(ctx, client.ObjectKeyFromObject(run), current)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("reading the run past the cache: %w", err)
	}
	newest := err == nil && current.ResourceVersion == run.ResourceVersion
	return &newest, nil
}

// faultsPastCache reads the run's fault objects past the cache: the watches may be behind. It
// remembers since when the cache lacks an injection. Where nobody can tell there are none, and the
// run must end all the same.
func (r *Reconciler) faultsPastCache(ctx context.Context, o *observed) (map[string]faults.State, error) {
	current := &chaos.PodChaosList{}
	err := r.Direct.List(ctx, current, labelledFor(o.Run)...)
	switch {
	case meta.IsNoMatchError(err) || apierrors.IsNotFound(err) || apierrors.IsForbidden(err):
		return map[string]faults.State{}, nil
	case err != nil:
		return nil, fmt.Errorf("listing the run's faults past the cache: %w", err)
	}
	states := faultStates(o.Run, current)
	for name, state := range states {
		if state.Injected && !o.Faults[name].Injected {
			o.Memory.unseen(name, state.UID, o.Now)
		}
	}
	return states, nil
}
