package main

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// valuesOf is Grafana's query of a label's values.
func valuesOf(name, label, metric, of string) *dashboard.QueryVariableBuilder {
	return dashboard.NewQueryVariableBuilder(name).Label(label).Datasource(source()).
		Query(dashboard.StringOrMap{Map: map[string]any{"query": "label_values(" + metric + ", " + of + ")", "refId": name}}).
		Refresh(dashboard.VariableRefreshOnTimeRangeChanged).Sort(dashboard.VariableSortAlphabeticalAsc)
}

func oneRun() *dashboard.QueryVariableBuilder {
	return valuesOf("run", "Run", operations, "kvbench_io_run").
		Description("The runs that were measured in the time that is shown, by the stems of their objects' names.")
}

func severalRuns() *dashboard.QueryVariableBuilder {
	return oneRun().Label("Runs").Multi(true).IncludeAll(true).Current(everything())
}

func workloads() *dashboard.QueryVariableBuilder {
	return valuesOf("workload", "Workload", operations+"{"+ofStore+"}", "workload").
		Multi(true).IncludeAll(true).AllValue(".*").Current(everything())
}

func everything() dashboard.VariableOption {
	return option("All", "$__all")
}

func option(text, value string) dashboard.VariableOption {
	return dashboard.VariableOption{
		Selected: cog.ToPtr(true),
		Text:     dashboard.StringOrArrayOfString{String: &text}, Value: dashboard.StringOrArrayOfString{String: &value},
	}
}

// scrape is how often Prometheus asks for what the dashboard shows. Grafana can't know it.
func scrape(interval string) *dashboard.CustomVariableBuilder {
	return choice("scrape", "Scrape interval", interval, "1s,5s,15s,30s,1m").
		Description("How often your Prometheus asks: metrics.runs.interval and metrics.operator.interval of kvbench's chart.")
}

func choice(name, label, first, values string) *dashboard.CustomVariableBuilder {
	return dashboard.NewCustomVariableBuilder(name).Label(label).
		Values(dashboard.StringOrMap{String: &values}).Current(option(first, first))
}
