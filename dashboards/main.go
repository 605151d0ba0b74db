// Command dashboards writes the Grafana dashboard of a run. Its queries use the metrics of
// docs/reference/metrics.md alone.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
)

func main() {
	out := flag.String("out", "dashboards/kvbench-run.json", "file to write")
	flag.Parse()
	content, err := json.MarshalIndent(runDashboard(), "", "  ")
	if err == nil {
		err = os.WriteFile(*out, append(content, '\n'), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "dashboards:", err)
		os.Exit(1)
	}
}

// object is a part of Grafana's JSON model.
type object = map[string]any

// panel is a graph, half of the dashboard's width.
type panel struct {
	title, about, unit string
	queries            []query
	stacked            bool
}

// query is one PromQL expression and the name of its series.
type query struct{ expr, legend string }

// ofRun selects the series of the run that is chosen in the dashboard.
const ofRun = `kvbench_io_run="$run"`

// panels are the dashboard, two in a row.
var panels = []panel{
	{title: "Throughput", unit: "ops", about: "Operations that succeeded.", queries: []query{
		{`sum by (operation) (rate(kvbench_operations_total{` + ofRun + `,outcome="ok"}[$window]))`, "{{operation}}"},
	}},
	{title: "Errors", unit: "ops", about: "Operations that failed, or whose outcome is unknown.", queries: []query{
		{`sum by (operation, outcome) (rate(kvbench_operations_total{` + ofRun + `,outcome!="ok"}[$window])) or vector(0)`, "{{operation}} {{outcome}}"},
	}},
	{title: "Service time", unit: "s", about: "From the send, of operations that succeeded. The report also has the response time, from the intended start.", queries: []query{
		quantile(0.5), quantile(0.95), quantile(0.99), quantile(0.999),
	}},
	{title: "Lag of the sends", unit: "s", about: "The generator's own delay. The report judges it.", queries: []query{
		{`histogram_quantile(0.99, sum by (le) (rate(kvbench_send_lag_seconds_bucket{` + ofRun + `}[$window])))`, "p99"},
	}},
	{title: "Under way", unit: "short", about: "Most operations under way in each second, over all workers.", queries: []query{
		{`sum(kvbench_in_flight{` + ofRun + `})`, "operations"},
	}},
	{title: "Members that answer", unit: "short", stacked: true, about: "As the observer sees them.", queries: []query{
		{`max by (member) (kvbench_member_up{` + ofRun + `})`, "{{member}}"},
	}},
	{title: "Leader", unit: "short", stacked: true, about: "Whom a majority of the members takes for the leader.", queries: []query{
		{`max by (member) (kvbench_member_leader{` + ofRun + `})`, "{{member}}"},
	}},
	{title: "Term and steadiness", unit: "short", about: "Steady is 1 when all members are healthy and know one leader.", queries: []query{
		{`max(kvbench_store_term{` + ofRun + `})`, "term"},
		{`min(kvbench_store_steady{` + ofRun + `})`, "steady"},
	}},
}

func quantile(q float64) query {
	return query{
		fmt.Sprintf(`histogram_quantile(%g, sum by (le) (rate(kvbench_operation_duration_seconds_bucket{%s,outcome="ok"}[$window])))`, q, ofRun),
		fmt.Sprintf("p%g", 100*q),
	}
}

// faults marks each injection with a line.
const faults = `kvbench_fault_injected_timestamp_seconds{` + ofRun + `} * 1000`

func runDashboard() object {
	source := object{"type": "prometheus", "uid": "${datasource}"}
	drawn := []object{}
	for i, p := range panels {
		drawn = append(drawn, p.draw(i, source))
	}
	return object{
		"title": "kvbench: a run", "uid": "kvbench-run", "tags": []string{"kvbench"},
		"schemaVersion": 39, "version": 1, "editable": true, "refresh": "5s",
		"time":   object{"from": "now-15m", "to": "now"},
		"panels": drawn,
		"annotations": object{"list": []object{{
			"name": "Faults", "datasource": source, "enable": true, "iconColor": "red",
			"expr": faults, "useValueForTime": true, "titleFormat": "{{fault}}", "textFormat": "{{target}}", "step": "1s",
		}}},
		"templating": object{"list": []object{
			{"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"},
			{"name": "run", "label": "Run", "type": "query", "datasource": source, "refresh": 2, "sort": 2,
				"query": object{"query": "label_values(kvbench_operations_total, kvbench_io_run)", "refId": "run"}},
			{"name": "window", "label": "Rate over", "type": "interval", "query": "5s,15s,1m", "current": object{"text": "5s", "value": "5s"}},
		}},
	}
}

func (p panel) draw(index int, source object) object {
	targets := []object{}
	for i, q := range p.queries {
		targets = append(targets, object{
			"refId": string(rune('A' + i)), "datasource": source, "expr": q.expr, "legendFormat": q.legend, "interval": "1s",
		})
	}
	stacking := "none"
	if p.stacked {
		stacking = "normal"
	}
	return object{
		"id": index + 1, "type": "timeseries", "title": p.title, "description": p.about, "datasource": source,
		"gridPos": object{"x": index % 2 * 12, "y": index / 2 * 8, "w": 12, "h": 8},
		"targets": targets,
		"fieldConfig": object{"overrides": []object{}, "defaults": object{
			"unit": p.unit, "min": 0,
			"custom": object{"lineWidth": 1, "fillOpacity": 10, "showPoints": "never", "stacking": object{"mode": stacking}},
		}},
		"options": object{"legend": object{"displayMode": "list", "placement": "bottom"}, "tooltip": object{"mode": "multi"}},
	}
}
