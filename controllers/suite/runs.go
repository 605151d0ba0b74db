package suite

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/internal/suite"
)

// specOf is the spec of the runs of a combination in a block. Where the template has no seed, all runs of a block have the
// same.
func specOf(combination *suite.Combination, seed uint64, block int) *v1alpha1.BenchmarkRunSpec {
	spec := combination.Spec.DeepCopy()
	if spec.Seed == nil {
		spec.Seed = ptr.To(suite.RunSeed(seed, block))
	}
	return spec
}

// runOf is a run of a combination in a block.
func runOf(of *v1alpha1.BenchmarkSuite, name string, combination *suite.Combination, seed uint64, block int) *v1alpha1.BenchmarkRun {
	return &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       of.Namespace,
			Name:            name,
			Labels:          map[string]string{names.LabelSuite: of.Name, names.LabelSuiteUID: string(of.UID)},
			Annotations:     map[string]string{names.AnnotationCombination: combination.Name()},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(of, v1alpha1.GroupVersion.WithKind("BenchmarkSuite"))},
		},
		Spec: *specOf(combination, seed, block),
	}
}
