package suite

import (
	"encoding/json"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// refuseForbidden refuses what a run may say and a suite's may not.
func refuseForbidden(spec *v1alpha1.BenchmarkSuiteSpec, all []Combination, problems *Problems) {
	var template struct {
		ServiceAccountName string `json:"serviceAccountName"`
	}
	// A template of another form is a problem of each combination already.
	_ = json.Unmarshal(spec.Template.Spec.Raw, &template)
	for i := range all {
		run := &all[i].Spec
		if run.ServiceAccountName != template.ServiceAccountName {
			problems.add(all[i].Name(), "an axis can't change serviceAccountName: set it in the template")
		}
		if run.Retain != "" && run.Retain != v1alpha1.RetainNever {
			problems.add(all[i].Name(), "retain must be Never: a store that is kept takes its share of the machines from the runs that follow")
		}
	}
}
