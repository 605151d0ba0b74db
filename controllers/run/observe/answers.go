package observe

import (
	"context"
	"fmt"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/faults/chaosmesh"
)

// Ask answers a question of decide, in o.
func (r *Reader) Ask(ctx context.Context, o *state.Observed, q state.Question) (err error) {
	switch q {
	case state.AskNewest:
		o.Asked.Newest, err = r.isNewest(ctx, o.Run)
	case state.AskFaults:
		o.Asked.Faults, err = r.faultsPastCache(ctx, o)
	case state.AskClocks:
		o.Asked.Clocks = &state.ClockComparison{}
		if err := r.Clock.Ask(ctx, r.Results); err != nil {
			o.Asked.Clocks.Trouble = message.Stable(err)
		}
		o.Asked.Clocks.Apart = r.Clock.Off()
	case state.AskPods:
		o.Asked.Pods, err = r.faultPods(ctx, o.Run)
	case state.AskRules:
		o.Asked.Rules = r.remains(ctx, o.Run)
	case state.AskLeft:
		o.Asked.Left = r.leftRules(ctx, o.Run)
	case state.AskSample:
		o.Asked.Sample, o.Memory.SampledAt = &state.MemberSample{}, o.Now
		line, err := r.sample(ctx, o)
		if err != nil {
			o.Asked.Sample.Trouble = message.Stable(err)
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
func (r *Reader) isNewest(ctx context.Context, run *v1alpha1.BenchmarkRun) (*bool, error) {
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
func (r *Reader) faultsPastCache(ctx context.Context, o *state.Observed) (map[string]faults.State, error) {
	states := map[string]faults.State{}
	for _, kind := range chaosmesh.Kinds() {
		current := kind.NewList()
		err := r.Direct.List(ctx, current, clients.OfRun(o.Run)...)
		switch {
		case meta.IsNoMatchError(err) || apierrors.IsNotFound(err) || apierrors.IsForbidden(err):
			continue
		case err != nil:
			return nil, fmt.Errorf("listing the run's faults past the cache: %w", err)
		}
		maps.Copy(states, faultStates(o.Run, kind, current))
	}
	for name, found := range states {
		if found.Injected && !o.Faults[name].Injected {
			o.Memory.Unseen(name, found.UID, o.Now)
		}
	}
	return states, nil
}
