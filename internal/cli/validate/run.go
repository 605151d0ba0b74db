package validate

import (
	"errors"
	"regexp"
	"strings"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/cli/validate/definition"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/plan"
)

// placeholderUID stands for the one that the API server gives: names and the seed follow from it.
const placeholderUID = "00000000-0000-0000-0000-000000000000"

// runChecker does what the controller does with a run before it asks the cluster.
type runChecker struct {
	maps   configMaps
	charts charts
}

// refusal is why the controller refuses a run that fits its definition; "" if it doesn't. A file that isn't among those that were
// given is no reason: a cluster may have it. Then the store alone is looked at.
func (c *runChecker) refusal(run *v1alpha1.BenchmarkRun) string {
	compiled, err := c.compile(run)
	var refused *compile.Refusal
	if errors.As(err, &refused) && refused.Reason == compile.ReasonFileMissing {
		if compiled, err = c.compile(withStoreAlone(run)); err != nil {
			return ""
		}
	}
	if err == nil {
		err = c.charts.check(compiled)
	}
	if err == nil {
		err = checkSize(compiled)
	}
	switch {
	case err == nil:
		return ""
	case errors.As(err, &refused):
		return refused.Message
	}
	return err.Error()
}

// compile is the plan of a run. Its error is a *compile.Refusal.
func (c *runChecker) compile(run *v1alpha1.BenchmarkRun) (*plan.Plan, error) {
	named := run.DeepCopy()
	named.UID = placeholderUID
	if named.Namespace == "" {
		named.Namespace = "default"
	}
	files, err := c.maps.filesOf(run)
	if err != nil {
		return nil, err
	}
	return compile.Compile(named, files)
}

// withStoreAlone is a run that does almost nothing with the same store, and needs no file.
func withStoreAlone(run *v1alpha1.BenchmarkRun) *v1alpha1.BenchmarkRun {
	alone, records := run.DeepCopy(), int64(1)
	alone.Spec = v1alpha1.BenchmarkRunSpec{
		Store:     alone.Spec.Store,
		Workloads: []v1alpha1.WorkloadSpec{{Name: "c", Preset: "C", Records: &records}},
	}
	return alone
}

// leadingField is the field with which a refusal begins.
var leadingField = regexp.MustCompile(`^((?:spec|compare|trials|search|exclude)[^\s:]*): (?s:(.*))$`)

// findingOf splits a refusal into its field and what is wrong with it.
func findingOf(refusal string) Finding {
	parts := leadingField.FindStringSubmatch(refusal)
	if parts == nil {
		return Finding{Finding: definition.Finding{Field: "spec", Message: refusal}}
	}
	return Finding{Finding: definition.Finding{Field: fromSpec(parts[1]), Message: parts[2]}}
}

// fromSpec is a field of a suite's problems, which begin below spec.
func fromSpec(field string) string {
	if strings.HasPrefix(field, "spec") {
		return field
	}
	return "spec." + field
}
