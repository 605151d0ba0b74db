// Package spec reads the objectives of a BenchmarkRun or of a BenchmarkSuite.
package spec

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/objective"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/figures"
)

// Read reads an objective that the API server's rules have let pass. Its error names the field below the objective.
func Read(of *v1alpha1.Objective) (plan.Objective, error) {
	return read(of, (*objective.Metric).Bound)
}

// ReadRatio reads an objective that bounds the ratio to a baseline.
func ReadRatio(of *v1alpha1.Objective) (plan.Objective, error) {
	return read(of, func(m *objective.Metric, text string) (float64, error) {
		if !m.Ratio {
			return 0, fmt.Errorf("%s has no ratio to a baseline, since a baseline may be 0: leave baseline out, and bound %s itself", m.Text, m.Text)
		}
		return objective.RatioBound(text)
	})
}

func read(of *v1alpha1.Objective, bound func(*objective.Metric, string) (float64, error)) (plan.Objective, error) {
	o := plan.Objective{Metric: of.Metric, Operation: of.Operation, Statistic: of.Statistic, Workload: of.Workload}
	metric, known := objective.Find(of.Metric)
	if !known {
		return o, fmt.Errorf("metric: there is no %q", of.Metric)
	}
	if metric.Name == figures.Outage && o.Statistic == "" {
		o.Statistic = plan.StatisticMax
	}
	for _, side := range []struct {
		name string
		text *intstr.IntOrString
		at   **float64
	}{{"atMost", of.AtMost, &o.AtMost}, {"atLeast", of.AtLeast, &o.AtLeast}} {
		if side.text == nil {
			continue
		}
		value, err := bound(metric, strings.TrimSpace(side.text.String()))
		if err != nil {
			return o, fmt.Errorf("%s: %w", side.name, err)
		}
		*side.at = &value
	}
	return o, nil
}
