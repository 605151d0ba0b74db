package initialize

import (
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/editdistance"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

// answers are what a first run is made of.
type answers struct {
	name     string // of the run
	store    *stores.Entry
	mode     *stores.Mode
	nodes    int
	workload preset
	rate     int64 // operations/s; 0 is a closed loop
	fault    fault // the zero value is none
}

// compiled is the plan of the run that the answers make, or why it can't be made.
func (a *answers) compiled() (*plan.Plan, error) {
	run := &v1alpha1.BenchmarkRun{}
	if err := yaml.Unmarshal([]byte(render(a)), run); err != nil {
		return nil, fmt.Errorf("reading what was written: %w", err)
	}
	run.Namespace = "default"
	return compile.Compile(run, nil)
}

// possible says why the answers so far make no run; nil if they do.
func (a *answers) possible() error {
	_, err := a.compiled()
	return err
}

// instead names what to use in the place of a wrong name: the nearest one, if one is near, and all.
func instead(wrong string, names []string) string {
	list := "there are " + strings.Join(names, ", ")
	if near := editdistance.Nearest(wrong, names); near != "" {
		return fmt.Sprintf("did you mean %s? (%s)", near, list)
	}
	return "use another; " + list
}
