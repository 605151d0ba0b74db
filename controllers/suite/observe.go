package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/suite/decide"
	"github.com/kvbench/kvbench/internal/stats"
	"github.com/kvbench/kvbench/internal/suite"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// listed are the runs of a namespace, and by name: those of a suite, and others that may have taken a name.
type listed struct {
	all    []v1alpha1.BenchmarkRun
	byName map[string]*v1alpha1.BenchmarkRun
}

func (r *Reconciler) list(ctx context.Context, namespace string) (*listed, error) {
	runs := &v1alpha1.BenchmarkRunList{}
	if err := r.List(ctx, runs, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing the runs: %w", err)
	}
	byName := make(map[string]*v1alpha1.BenchmarkRun, len(runs.Items))
	for i := range runs.Items {
		byName[runs.Items[i].Name] = &runs.Items[i]
	}
	return &listed{runs.Items, byName}, nil
}

// observe finds the runs that have the names of the suite's trials.
func (r *Reconciler) observe(ctx context.Context, of *v1alpha1.BenchmarkSuite, combinations []suite.Combination) (*decide.State, error) {
	state, found, err := r.begin(ctx, of, combinations)
	if err != nil {
		return nil, err
	}
	adoption, err := r.adoption(ctx, of, combinations, nil)
	if err != nil {
		return nil, err
	}
	state.Adopt(adoption)
	for i := range state.Turns {
		if err := r.observeTurn(state, &state.Turns[i], found.byName); err != nil {
			return nil, err
		}
	}
	state.UnderWay = underWay(of, found.all, state.Runs)
	return state, nil
}

// begin lists the runs, and what is known of the suite without them.
func (r *Reconciler) begin(ctx context.Context, of *v1alpha1.BenchmarkSuite, combinations []suite.Combination) (*decide.State, *listed, error) {
	found, err := r.list(ctx, of.Namespace)
	if err != nil {
		return nil, nil, err
	}
	state, err := stateOf(of, combinations)
	return state, found, err
}

// stateOf is what is known of a suite without its runs.
func stateOf(of *v1alpha1.BenchmarkSuite, combinations []suite.Combination) (*decide.State, error) {
	state := &decide.State{Suite: of, Combinations: combinations, Seed: suite.Seed(of), Runs: map[string]decide.Run{}, Found: of.Status.Search}
	if of.Spec.Search != nil {
		state.Measured = suite.FillRates(combinations, of.Status.Search)
	}
	stores, err := suite.Stores(&of.Spec, combinations, state.Measured)
	if err != nil {
		return nil, err
	}
	state.Turns = suite.Turns(state.Seed, stores, suite.Blocks(of))
	return state, nil
}

// observeTurn looks at the attempts of a turn, one after the other: what one has to measure follows from those before it.
func (r *Reconciler) observeTurn(state *decide.State, turn *suite.Turn, byName map[string]*v1alpha1.BenchmarkRun) error {
	for {
		next := decide.Next(state, turn)
		run, exists := byName[next.Name]
		if next.Verb != decide.Create || !exists {
			return nil
		}
		seen, err := r.look(state.Suite, run, &next.Turn, func() *v1alpha1.BenchmarkRunSpec {
			return suite.SpecOf(state.Combinations, &next.Turn, state.Seed)
		})
		if err != nil {
			return err
		}
		state.Runs[next.Name] = seen
	}
}

// underWay is a run of the suite that has not ended and isn't among those of its trials.
func underWay(of *v1alpha1.BenchmarkSuite, all []v1alpha1.BenchmarkRun, ofTrials map[string]decide.Run) string {
	for i := range all {
		run := &all[i]
		if _, known := ofTrials[run.Name]; !known && metav1.IsControlledBy(run, of) && run.Status.CompletionTime == nil {
			return run.Name
		}
	}
	return ""
}

// look reads what a decision needs of a run.
func (r *Reconciler) look(of *v1alpha1.BenchmarkSuite, run *v1alpha1.BenchmarkRun, turn *suite.Turn, wanted func() *v1alpha1.BenchmarkRunSpec) (seen decide.Run, err error) {
	// Whoever may make runs can name the suite as the owner of one of his own.
	seen.Leaving = run.DeletionTimestamp != nil
	if !metav1.IsControlledBy(run, of) {
		return seen, nil
	}
	if seen.Ours, err = r.memories.sameSpec(client.ObjectKeyFromObject(of), run, whatOf(turn), wanted); err != nil || !seen.Ours {
		return seen, err
	}
	seen.UID = string(run.UID)
	failed := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFailed)
	switch {
	case run.DeletionTimestamp != nil:
		// It is gone soon, and is then made again.
		return seen, nil
	case failed != nil && failed.Status == metav1.ConditionTrue:
		seen.Ended, seen.Outcome, seen.Reasons = true, manifest.Failed, []string{failed.Reason}
	case !meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionComplete):
		return seen, nil
	case meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionValid):
		seen.Ended, seen.Outcome = true, manifest.Valid
	default:
		seen.Ended, seen.Outcome, seen.Reasons = true, manifest.NotValid, run.Status.InvalidReasons
	}
	if start, end := run.Status.StartTime, run.Status.CompletionTime; start != nil && end != nil {
		seen.Took = end.Sub(start.Time)
	}
	if len(run.Spec.Objectives) > 0 {
		seen.Verdict = verdictOf(run)
	}
	if seen.Ended && turn.Shared {
		seen.Results = resultsOf(run, turn, seen.Result)
	}
	return seen, nil
}

// whatOf tells the runs of a name apart that measure something else: one that is shared may have any of its combinations.
func whatOf(turn *suite.Turn) string {
	if !turn.Shared {
		return ""
	}
	return fmt.Sprint(turn.Combinations)
}

// verdictOf is whether a run kept its objectives.
func verdictOf(run *v1alpha1.BenchmarkRun) stats.Verdict {
	switch passed := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionPassed); {
	case passed == nil || passed.Status == metav1.ConditionUnknown:
		return stats.Unknown
	case passed.Status == metav1.ConditionTrue:
		return stats.Passed
	}
	return stats.Failed
}

// sameJSON says that two specs are the same document. Their raw parts, such as store.values, may be written with other
// blanks, and in another order.
func sameJSON(a, b any) (bool, error) {
	var documents [2]any
	for i, value := range []any{a, b} {
		text, err := json.Marshal(value)
		if err != nil {
			return false, fmt.Errorf("writing a run's spec: %w", err)
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber() // seeds have 63 bits
		if err := decoder.Decode(&documents[i]); err != nil {
			return false, fmt.Errorf("reading a run's spec: %w", err)
		}
	}
	return reflect.DeepEqual(documents[0], documents[1]), nil
}
