package suite

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/suite"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// pinBaselines has the results server keep what the suite is compared with, as it is now, and notes the combinations that have no
// counterpart there. Its error is of what may work later.
func (r *Reconciler) pinBaselines(ctx context.Context, of *v1alpha1.BenchmarkSuite, combinations []suite.Combination, problems *suite.Problems) error {
	if of.Spec.Compare == nil || len(of.Spec.Compare.Baselines) == 0 || len(combinations) == 0 {
		return nil
	}
	ask := wire.PinRequest{Namespace: of.Namespace, Baselines: map[string][]byte{}}
	for i := range of.Spec.Compare.Baselines {
		named := &of.Spec.Compare.Baselines[i]
		document, err := r.readBaseline(ctx, of, named, &combinations[0])
		if err != nil {
			return fmt.Errorf("compare.baselines[%d]: %w", i, err)
		}
		ask.Baselines[named.Name] = document
	}
	pinned, err := r.Results.PinBaselines(ctx, string(of.UID), ask)
	if err != nil {
		return fmt.Errorf("asking the results server for compare.baselines: %w", err)
	}
	for i, o := range suite.Objectives(&of.Spec, combinations) {
		if o.Against == "" {
			continue
		}
		for _, subject := range o.Subjects {
			if !hasCounterpart(pinned.Baselines[o.Against], combinations[subject.Combination].Labels) {
				problems.Add(&combinations[subject.Combination], fmt.Sprintf("compare.objectives[%d]: the baseline %s has no such combination: name in where those that it has", i, o.Against))
			}
		}
	}
	return nil
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
func (r *Reconciler) readBaseline(ctx context.Context, of *v1alpha1.BenchmarkSuite, named *v1alpha1.KeptBaseline, combination *suite.Combination) ([]byte, error) {
	key := named.ConfigMapKeyRef
	if key == nil {
		return nil, nil
	}
	run := runOf(of, of.Name, combination, suite.Seed(of), 0)
	asAccount, err := r.AccountOf(run)
	if err != nil {
		return nil, err
	}
	from := &corev1.ConfigMap{}
	err = asAccount.Get(ctx, client.ObjectKey{Namespace: of.Namespace, Name: key.Name}, from)
	switch {
	case apierrors.IsForbidden(err):
		return nil, fmt.Errorf("service account %s may not read the ConfigMap %s: give it the right to get it", names.ServiceAccount(run), key.Name)
	case apierrors.IsNotFound(err):
		return nil, fmt.Errorf("there is no ConfigMap %s: create it", key.Name)
	case err != nil:
		return nil, fmt.Errorf("reading the ConfigMap %s as service account %s: %w", key.Name, names.ServiceAccount(run), err)
	}
	if text, isText := from.Data[key.Key]; isText {
		return []byte(text), nil
	}
	if content := from.BinaryData[key.Key]; len(content) > 0 {
		return content, nil
	}
	return nil, fmt.Errorf("the ConfigMap %s has no key %s", key.Name, key.Key)
}

// keep has the results server keep the suite's figures, if it is to and they are good for that. The suite has ended. It returns
// why they aren't kept yet.
func (r *Reconciler) keep(ctx context.Context, of *v1alpha1.BenchmarkSuite, empty []string) (hindered string) {
	if of.Spec.KeepAs == "" || len(empty) > 0 || hasObjectives(of) && !holds(of, v1alpha1.ConditionPassed) {
		return ""
	}
	if err := r.Results.KeepBaseline(ctx, string(of.UID), of.Spec.KeepAs); err != nil {
		return fmt.Sprintf("the figures aren't kept as %s yet: %v", of.Spec.KeepAs, err)
	}
	of.Status.KeptAs = of.Spec.KeepAs
	return ""
}
