package suite

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/internal/suite"
)

// runOf is the run of a turn.
func runOf(of *v1alpha1.BenchmarkSuite, name string, combinations []suite.Combination, turn *suite.Turn, seed uint64) *v1alpha1.BenchmarkRun {
	return &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       of.Namespace,
			Name:            name,
			Labels:          map[string]string{names.LabelSuite: of.Name, names.LabelSuiteUID: string(of.UID)},
			Annotations:     map[string]string{names.AnnotationCombination: suite.NameOf(combinations, turn)},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(of, v1alpha1.GroupVersion.WithKind("BenchmarkSuite"))},
		},
		Spec: *suite.SpecOf(combinations, turn, seed),
	}
}
