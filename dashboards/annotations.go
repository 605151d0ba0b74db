package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// regions are the times in which the expression has a value above 0. Grafana joins values that are at most a step apart.
func regions(name, color, expr, title, text string) *dashboard.AnnotationQueryBuilder {
	return dashboard.NewAnnotationQueryBuilder().Name(name).Datasource(source()).Enable(true).IconColor(color).
		Expr(expr).Step("1s").TitleFormat(title).TextFormat(text)
}

// faultRegions are the faults at work. A kill is over before most scrapes, so it is drawn for ten seconds.
func faultRegions() *dashboard.AnnotationQueryBuilder {
	active := fmt.Sprintf("max by (kvbench_io_run, fault, target) (kvbench_fault_active{%s}) > 0", ofRuns)
	injected := fmt.Sprintf("max by (kvbench_io_run, fault, target) (kvbench_fault_injected_timestamp_seconds{%s})", ofRuns)
	return regions("Faults", "red", fmt.Sprintf("%s or %s > time() - 10", active, injected), "{{fault}}", "{{target}}")
}

// unsteadyRegions are what a fault leaves behind: members that don't answer, or no leader.
func unsteadyRegions() *dashboard.AnnotationQueryBuilder {
	return regions("Store not steady", "orange",
		fmt.Sprintf("min by (kvbench_io_run) (kvbench_store_steady{%s}) == bool 0 > 0", ofRuns),
		"Not steady", "A member isn't healthy, or they know no leader.")
}
