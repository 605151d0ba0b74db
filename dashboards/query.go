package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
)

// query is one PromQL expression and the name of its series.
type query struct{ expr, legend string }

// source is the Prometheus that is chosen in the dashboard.
func source() common.DataSourceRef {
	return common.DataSourceRef{Type: cog.ToPtr("prometheus"), Uid: cog.ToPtr("${datasource}")}
}

func (q query) at(index int) *prometheus.DataqueryBuilder {
	return prometheus.NewDataqueryBuilder().Datasource(source()).RefId(string(rune('A' + index))).
		Expr(q.expr).LegendFormat(q.legend).EditorMode(prometheus.QueryEditorModeCode).
		// The least step: $__rate_interval is four of them, or one more than the step.
		Interval("$scrape")
}

// series asks for the time that is shown.
func series(queries []query) (targets []cog.Builder[variants.Dataquery]) {
	for i, q := range queries {
		targets = append(targets, q.at(i).Range())
	}
	return targets
}

// rows asks for the end of the time that is shown, one row for each series.
func rows(queries []query) (targets []cog.Builder[variants.Dataquery]) {
	for i, q := range queries {
		targets = append(targets, q.at(i).Instant().Format(prometheus.PromQueryFormatTable))
	}
	return targets
}

const (
	// ofRun selects what was measured of the run that is chosen.
	ofRun = `kvbench_io_run="$run",workload=~"$workload"`
	// ofStore selects what the observer and the controller know of it, which belongs to no workload.
	ofStore = `kvbench_io_run="$run"`
	// ofRuns selects several runs.
	ofRuns = `kvbench_io_run=~"$run"`

	window = "[$__rate_interval]"

	operations = "kvbench_operations_total"
	service    = "kvbench_operation_duration_seconds"
	response   = "kvbench_operation_response_seconds"
)

// rate is per second, added up by labels.
func rate(counter, selector, by string) string {
	return fmt.Sprintf("sum by (%s) (rate(%s{%s}%s))", by, counter, selector, window)
}

// quantile is of a histogram, native where Prometheus has that, else classic.
func quantile(q, histogram, selector, over, by string) string {
	classic := "le"
	if by != "" {
		classic = by + ", le"
	}
	return fmt.Sprintf("histogram_quantile(%[1]s, sum by (%[5]s) (rate(%[2]s{%[3]s}%[4]s))) or histogram_quantile(%[1]s, sum by (%[6]s) (rate(%[2]s_bucket{%[3]s}%[4]s)))",
		q, histogram, selector, over, by, classic)
}

// percentiles are those that the report has.
func percentiles(histogram, selector string) (queries []query) {
	for _, p := range []struct{ q, name string }{{"0.5", "p50"}, {"0.95", "p95"}, {"0.99", "p99"}, {"0.999", "p99.9"}} {
		queries = append(queries, query{quantile(p.q, histogram, selector+`,outcome="ok"`, window, ""), p.name})
	}
	return queries
}

// density is a histogram for a heat map, native where Prometheus has that, else classic.
func density(histogram, selector string) query {
	native := fmt.Sprintf("sum(rate(%s{%s}%s))", histogram, selector, window)
	return query{fmt.Sprintf("%s or (sum by (le) (rate(%s_bucket{%s}%s)) unless on () %s)", native, histogram, selector, window, native), "{{le}}"}
}

// orNone is 0 where the expression has no answer but the other one has.
func orNone(expr, other string) string { return fmt.Sprintf("(%s) or 0 * %s", expr, other) }

// failures are by operation and outcome; one line at 0 where there are none.
func failures(selector string) query {
	not := selector + `,outcome!="ok"`
	return query{
		fmt.Sprintf(`%s or (label_replace(0 * %s, "outcome", "none", "", "") unless on () %s)`,
			rate(operations, not, "operation, outcome"), rate(operations, selector, ""), rate(operations, not, "")),
		"{{operation}} {{outcome}}",
	}
}
