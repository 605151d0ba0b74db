package suite

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/configmaps"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/suite"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// pinBaselines has the results server keep what the suite is compared with, as it is now, and notes the combinations that have no
// counterpart there. What the server has of the suite already stays. Its error is of what may work later.
func (r *Reconciler) pinBaselines(ctx context.Context, of *v1alpha1.BenchmarkSuite, combinations []suite.Combination, problems *suite.Problems) error {
	pinned, err := r.pinned(ctx, of, combinations)
	if err != nil || len(pinned) == 0 {
		return err
	}
	of.Status.Baselines = nil
	for _, name := range slices.Sorted(maps.Keys(pinned)) {
		of.Status.Baselines = append(of.Status.Baselines, v1alpha1.PinnedBaseline{Name: name, SHA256: pinned[name].SHA256})
	}
	for i, o := range suite.Objectives(&of.Spec, combinations) {
		if o.Against == "" {
			continue
		}
		for _, subject := range o.Subjects {
			if !hasCounterpart(pinned[o.Against], combinations[subject.Combination].Labels) {
				problems.Add(combinations[subject.Combination].Name(), fmt.Sprintf("compare.objectives[%d]: the baseline %s has no such combination: name in where those that it has", i, o.Against))
			}
		}
	}
	return nil
}

// lostBaselines names those that the results server no longer has as they were when the suite was accepted: it has lost its
// volume. Nothing is put in their place, for what has the name by now may be something else. Its error is of what may work later.
func (r *Reconciler) lostBaselines(ctx context.Context, of *v1alpha1.BenchmarkSuite) (lost []string, err error) {
	if len(of.Status.Baselines) == 0 {
		return nil, nil
	}
	has, err := r.Results.PinBaselines(ctx, string(of.UID), wire.PinRequest{Namespace: of.Namespace})
	if err != nil {
		return nil, fmt.Errorf("asking the results server for compare.baselines: %w", err)
	}
	for _, accepted := range of.Status.Baselines {
		if has.Baselines[accepted.Name].SHA256 != accepted.SHA256 {
			lost = append(lost, accepted.Name)
		}
	}
	return lost, nil
}

// pinned are the suite's baselines at the results server, which gets those that it doesn't have.
func (r *Reconciler) pinned(ctx context.Context, of *v1alpha1.BenchmarkSuite, combinations []suite.Combination) (map[string]wire.PinnedBaseline, error) {
	if of.Spec.Compare == nil || len(of.Spec.Compare.Baselines) == 0 || len(combinations) == 0 {
		return nil, nil
	}
	ask := wire.PinRequest{Namespace: of.Namespace}
	has, err := r.Results.PinBaselines(ctx, string(of.UID), ask)
	if err != nil {
		return nil, fmt.Errorf("asking the results server for compare.baselines: %w", err)
	}
	ask.Baselines = map[string]wire.BaselineAsk{}
	for i := range of.Spec.Compare.Baselines {
		named := &of.Spec.Compare.Baselines[i]
		if _, known := has.Baselines[named.Name]; known {
			continue
		}
		if ask.Baselines[named.Name], err = r.readBaseline(ctx, of, named, &combinations[0]); err != nil {
			return nil, fmt.Errorf("compare.baselines[%d]: %w", i, err)
		}
	}
	if len(ask.Baselines) == 0 {
		return has.Baselines, nil
	}
	all, err := r.Results.PinBaselines(ctx, string(of.UID), ask)
	if err != nil {
		return nil, fmt.Errorf("asking the results server to keep compare.baselines: %w", err)
	}
	return all.Baselines, nil
}

// hasCounterpart says that the baseline has a combination all of whose labels are among these.
func hasCounterpart(baseline wire.PinnedBaseline, labels []manifest.Label) bool {
	return slices.ContainsFunc(baseline.Combinations, func(combination []string) bool {
		return !slices.ContainsFunc(combination, func(text string) bool {
			return !slices.ContainsFunc(labels, func(l manifest.Label) bool { return l.String() == text })
		})
	})
}

// readBaseline reads a baseline's file with the rights of the runs' service account; nothing of one that the results server keeps.
func (r *Reconciler) readBaseline(ctx context.Context, of *v1alpha1.BenchmarkSuite, named *v1alpha1.KeptBaseline, combination *suite.Combination) (ask wire.BaselineAsk, err error) {
	key := named.ConfigMapKeyRef
	if key == nil {
		return wire.BaselineAsk{Kept: true}, nil
	}
	account, err := r.accountOf(runOf(of, of.Name, []suite.Combination{*combination}, &suite.Turn{Combinations: []int{0}}, suite.Seed(of)))
	if err != nil {
		return ask, err
	}
	document, _, err := account.Read(ctx, *key)
	if err != nil {
		return ask, err
	}
	if len(document) == 0 {
		return ask, fmt.Errorf("there is no ConfigMap %s with the key %s, or nothing in it: create it", key.Name, key.Key)
	}
	return wire.BaselineAsk{Document: document}, nil
}

// accountOf is the service account of a run.
func (r *Reconciler) accountOf(run *v1alpha1.BenchmarkRun) (*configmaps.Account, error) {
	reader, err := r.AccountOf(run)
	return &configmaps.Account{Namespace: run.Namespace, Name: names.ServiceAccount(run), Reader: reader}, err
}
