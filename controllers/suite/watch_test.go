package suite

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

func TestPassesAreMadeForNewsAlone(t *testing.T) {
	now := metav1.Now()
	is := func(kind string) func(*v1alpha1.BenchmarkRun) {
		return func(run *v1alpha1.BenchmarkRun) {
			run.Status.Conditions = append(run.Status.Conditions, metav1.Condition{Type: kind, Status: metav1.ConditionTrue})
		}
	}
	for what, c := range map[string]struct {
		change func(*v1alpha1.BenchmarkRun)
		news   bool
	}{
		"nothing":        {func(*v1alpha1.BenchmarkRun) {}, false},
		"progress":       {func(run *v1alpha1.BenchmarkRun) { run.Status.Progress = &v1alpha1.Progress{Done: "5%"} }, false},
		"a phase":        {func(run *v1alpha1.BenchmarkRun) { run.Status.Phase = "Measuring" }, false},
		"an annotation":  {func(run *v1alpha1.BenchmarkRun) { run.Annotations = map[string]string{"a": "b"} }, false},
		"its failure":    {is(v1alpha1.ConditionFailed), true},
		"its report":     {is(v1alpha1.ConditionReported), true},
		"its verdict":    {is(v1alpha1.ConditionPassed), true},
		"its validity":   {is(v1alpha1.ConditionValid), true},
		"its end":        {func(run *v1alpha1.BenchmarkRun) { run.Status.CompletionTime = &now }, true},
		"its deletion":   {func(run *v1alpha1.BenchmarkRun) { run.DeletionTimestamp = &now }, true},
		"another reason": {func(run *v1alpha1.BenchmarkRun) { run.Status.InvalidReasons = []string{"GeneratorLag"} }, true},
		"another owner": {func(run *v1alpha1.BenchmarkRun) {
			controller := true
			run.OwnerReferences = []metav1.OwnerReference{{UID: "other", Controller: &controller}}
		}, true},
	} {
		before := &v1alpha1.BenchmarkRun{}
		after := before.DeepCopy()
		c.change(after)
		if got := newsOfRuns().Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}); got != c.news {
			t.Errorf("%s: %v", what, got)
		}
	}
}
