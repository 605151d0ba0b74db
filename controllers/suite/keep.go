package suite

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	results "github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/suite"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Reasons of the condition Kept.
const (
	reasonKept    = "FiguresKept"
	reasonNotKept = "FiguresNotKept"
	reasonNotYet  = "ResultsUnreachable"
)

// keepAgain is the pause before the results server is asked again to keep a suite's figures.
const keepAgain = time.Minute

// keep has the results server keep the figures of a suite that has ended, if it is to and they are good for that. The condition
// Kept says what came of it. Nothing else of the suite depends on it. It returns when it is to be tried again.
func (r *Reconciler) keep(ctx context.Context, of *v1alpha1.BenchmarkSuite, empty []string, adoption *manifest.Adoption) (again time.Duration) {
	not := func(why string) time.Duration {
		of.Status.KeptAs = ""
		set(of, v1alpha1.ConditionKept, metav1.ConditionFalse, reasonNotKept, why)
		return 0
	}
	switch {
	case of.Spec.KeepAs == "":
		return 0
	case len(empty) > 0:
		return not("no trial has valid numbers of " + strings.Join(empty, "; "))
	case suite.EndedEarly(of) != "":
		return not("the highest rate isn't known of " + suite.EndedEarly(of))
	case hasObjectives(of) && !holds(of, v1alpha1.ConditionPassed):
		return not("the objectives are not kept")
	case adoption != nil && adoption.Changed:
		return not("the suite took over runs of an earlier one that had other trials, another comparison or other objectives, so somebody may have known the figures")
	}
	return r.keepNow(ctx, of)
}

// keepNow asks the results server, for the first time or again.
func (r *Reconciler) keepNow(ctx context.Context, of *v1alpha1.BenchmarkSuite) (again time.Duration) {
	err := r.Results.KeepBaseline(ctx, string(of.UID), of.Spec.KeepAs)
	switch {
	case err == nil:
		of.Status.KeptAs = of.Spec.KeepAs
		set(of, v1alpha1.ConditionKept, metav1.ConditionTrue, reasonKept, "the results server has the figures as "+of.Spec.KeepAs)
	case results.Transient(err):
		set(of, v1alpha1.ConditionKept, metav1.ConditionFalse, reasonNotYet, message.StableText(fmt.Sprintf("asking the results server to keep the figures: %v", err)))
		return keepAgain
	default:
		set(of, v1alpha1.ConditionKept, metav1.ConditionFalse, reasonNotKept, message.StableText(fmt.Sprintf("the results server keeps no figures as %s: %v", of.Spec.KeepAs, err)))
	}
	return 0
}

// waitsToBeKept says that the results server could not be asked.
func waitsToBeKept(of *v1alpha1.BenchmarkSuite) bool {
	kept := meta.FindStatusCondition(of.Status.Conditions, v1alpha1.ConditionKept)
	return kept != nil && kept.Reason == reasonNotYet
}
