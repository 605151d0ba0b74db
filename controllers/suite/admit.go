package suite

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/conditions"
	"github.com/kvbench/kvbench/controllers/requests"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/plan"
	results "github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/suite"
)

// reasonInvalid is of a suite some of whose runs can't be made.
const reasonInvalid = "InvalidSuite"

// admit looks at all combinations before the first run: each is shown to the API server, which makes nothing of it, and to
// the catalog. It notes all that is wrong at once. It returns as hindered what keeps it from looking for now.
func (r *Reconciler) admit(ctx context.Context, of *v1alpha1.BenchmarkSuite, combinations []suite.Combination, problems suite.Problems) (hindered string, err error) {
	checkObjectives(of, combinations, &problems)
	checkUntil(of, combinations, &problems)
	needed := &room{rendered: map[string]error{}}
	fingerprints, err := r.checkRuns(ctx, of, combinations, needed, &problems)
	if apierrors.IsForbidden(err) { // by a quota or a policy, which may be others tomorrow
		return fmt.Sprintf("the API server allows no run: %v", err), nil
	}
	if err != nil {
		return "", err
	}
	of.Status.Seed = int64(suite.Seed(of))
	if len(problems) == 0 && needed.refused != nil { // as with a quota
		return needed.refused.Error(), nil
	}
	if len(problems) == 0 {
		adoption, err := r.adoption(ctx, of, combinations, fingerprints)
		if err != nil {
			return err.Error(), nil
		}
		if adoption != nil && adoption.Suite != "" { // its blocks go on in their order
			of.Status.Seed = int64(adoption.Seed)
		}
		// After that: who takes over runs takes over what they were to be compared with.
		if err := r.pinBaselines(ctx, of, combinations, &problems); err != nil {
			return err.Error(), nil
		}
	}
	if len(problems) == 0 {
		// More may be kept tomorrow, as with a quota.
		if err := r.checkRoom(ctx, of, needed); err != nil && !results.FromEarlierVersion(err) {
			return err.Error(), nil
		}
	}
	if len(problems) > 0 {
		set(of, v1alpha1.ConditionAccepted, metav1.ConditionFalse, reasonInvalid, problems.String())
		set(of, v1alpha1.ConditionFailed, metav1.ConditionTrue, reasonInvalid, problems.String())
		return "", nil
	}
	set(of, v1alpha1.ConditionAccepted, metav1.ConditionTrue, "Expanded", "all combinations make sense")
	now := conditions.Stamp()
	of.Status.StartTime = &now
	return "", nil
}

// checkRuns notes what is wrong with each combination in a run of its own, and then with the runs that several share. It returns the
// fingerprints of the combinations' plans, "" where there is none yet. Its error is of a check that can't be made now.
func (r *Reconciler) checkRuns(ctx context.Context, of *v1alpha1.BenchmarkSuite, combinations []suite.Combination, needed *room, problems *suite.Problems) ([]string, error) {
	stores, err := suite.Stores(&of.Spec, combinations, nil)
	if err != nil {
		return nil, err
	}
	fingerprints := make([]string, len(combinations))
	for _, store := range stores {
		for _, i := range store.Combinations {
			compiled, err := r.check(ctx, of, combinations, &suite.Turn{Combinations: []int{i}}, problems)
			if err == nil && compiled != nil {
				noteRefusal(combinations[i].Name(), needed.render(compiled), problems)
				fingerprints[i], err = compiled.Fingerprint()
			}
			if err != nil {
				return nil, err
			}
			if _, misses := suite.Searched(i); of.Spec.Search != nil && misses { // it has the highest rate that may be tried
				needed.addProbes(compiled, suite.MostRates(of.Spec.Search))
			}
			if store.Shared {
				continue
			}
			if err := r.addRun(ctx, combinations[i].Name(), compiled, needed, problems); err != nil {
				return nil, err
			}
		}
	}
	if len(*problems) > 0 {
		return fingerprints, nil
	}
	for _, turn := range suite.Turns(suite.Seed(of), stores, 1) {
		if !turn.Shared {
			continue
		}
		compiled, err := r.check(ctx, of, combinations, &turn, problems)
		if err != nil {
			return nil, err
		}
		if err := r.addRun(ctx, suite.NameOf(combinations, &turn), compiled, needed, problems); err != nil {
			return nil, err
		}
	}
	return fingerprints, nil
}

// check notes what is wrong with a run, and returns its plan; nil where there is none yet. Its error is of a check that can't be
// made now.
func (r *Reconciler) check(ctx context.Context, of *v1alpha1.BenchmarkSuite, combinations []suite.Combination, turn *suite.Turn, problems *suite.Problems) (*plan.Plan, error) {
	name, about := suite.RunName(of.Name, turn, 0), suite.NameOf(combinations, turn)
	run := runOf(of, name, combinations, turn, suite.Seed(of))
	err := r.Create(ctx, run, client.DryRunAll)
	switch {
	case err == nil, apierrors.IsAlreadyExists(err): // a name that is taken is found when its turn comes
	case requests.Refused(err) && !apierrors.IsForbidden(err):
		problems.Add(about, refusalText(err, name))
		return nil, nil
	default:
		return nil, err
	}
	run.UID = "00000000-0000-0000-0000-000000000000"
	var files compile.Files
	if named := compile.FilesOf(&run.Spec); len(named) > 0 {
		account, err := r.accountOf(run)
		if err != nil {
			return nil, err
		}
		files, err = account.Files(ctx, named)
		var refusal *compile.Refusal
		if err != nil && !errors.As(err, &refusal) {
			return nil, err
		}
		noteRefusal(about, err, problems)
	}
	compiled, err := compile.Compile(run, files)
	if err != nil {
		noteRefusal(about, err, problems)
		return nil, nil
	}
	return compiled, nil
}

// noteRefusal notes why a run can't be made, unless that is a file that isn't there: it may be there when the run is
// admitted, which reads it again.
func noteRefusal(about string, err error, problems *suite.Problems) {
	var refusal *compile.Refusal
	if errors.As(err, &refusal) && refusal.Reason != compile.ReasonFileMissing {
		problems.Add(about, refusal.Message)
	}
}

// checkUntil notes what a suite can't get to know, since nothing in a combination's run has such a figure.
func checkUntil(of *v1alpha1.BenchmarkSuite, combinations []suite.Combination, problems *suite.Problems) {
	until := suite.Until(&of.Spec)
	if until == nil {
		return
	}
	figure := plan.Objective{Metric: until.Metric, Operation: until.Operation, AtMost: &until.HalfWidth}
	for i := range combinations {
		if err := compile.CheckObjective(&combinations[i].Spec, &figure, nil); err != nil {
			problems.Add(combinations[i].Name(), fmt.Sprintf("trials.until.%v", err))
		}
	}
}

// checkObjectives notes the objectives that nothing in a combination's run can have a figure for. Nobody would know that
// before all trials have ended.
func checkObjectives(of *v1alpha1.BenchmarkSuite, combinations []suite.Combination, problems *suite.Problems) {
	for i, o := range suite.Objectives(&of.Spec, combinations) {
		for _, subject := range o.Subjects {
			for _, index := range subject.Indices() {
				combination := &combinations[index]
				// Without its files a workload may do anything.
				if err := compile.CheckObjective(&combination.Spec, &o.Objective, nil); err != nil {
					problems.Add(combination.Name(), fmt.Sprintf("compare.objectives[%d].%v", i, err))
				}
			}
		}
	}
}

// refusalText is what the API server has against a run, without the run's name, so that the same refusal of several
// combinations is one sentence.
func refusalText(err error, name string) string {
	var status *apierrors.StatusError
	if !errors.As(err, &status) || status.ErrStatus.Details == nil || len(status.ErrStatus.Details.Causes) == 0 {
		return strings.ReplaceAll(err.Error(), name, "the run")
	}
	var causes []string
	for _, cause := range status.ErrStatus.Details.Causes {
		text := cause.Message
		if cause.Field != "" && cause.Field != "<nil>" {
			text = cause.Field + ": " + text
		}
		causes = append(causes, text)
	}
	return strings.Join(causes, ", ")
}
