package main

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/units"
)

func fleetBoard() *board {
	return &board{
		uid: "kvbench-fleet", title: "all runs", from: "now-6h",
		about:     "All BenchmarkRuns of the cluster: which are under way, which wait, how those that ended were judged; and how kvbench itself is.",
		variables: []cog.Builder[dashboard.VariableModel]{scrape("5s")},
		rows: []row{
			{title: "At a glance", panels: fleetGlance()},
			{title: "Runs", panels: fleetRuns()},
			{title: "The controller", panels: controller()},
			{title: "The results server", panels: resultsServer()},
			{title: "Programs", folded: true, panels: programs()},
		},
	}
}

// ours selects the series of kvbench's own programs: others have metrics of the same names. Workers and observers have the
// label kvbench_io_run.
const ours = ` and on (namespace, pod) kvbench_build_info{kvbench_io_run=""}`

// some is 0 where the expression has no answer but kvbench is there.
func some(expr string) string { return orNone(expr, "count(kvbench_build_info)") }

func fleetGlance() []panel {
	// Each replica of the controller tells the same.
	verdicts := func(matcher string) query {
		return query{some("sum(max by (valid, passed) (kvbench_run_verdicts{" + matcher + "}))"), "runs"}
	}
	return []panel{
		figure("Under way", "Runs that have their turn.", units.Short, query{some("count(max by (kvbench_io_run) (kvbench_run_under_way))"), "runs"}),
		figure("Waiting", "Runs that wait for their turn.", units.Short, query{some(`sum(max by (phase) (kvbench_runs{phase=~"Queued|Pending"}))`), "runs"}).
			Thresholds(from("blue", above(50, "orange"))),
		figure("Ended, valid", "Runs whose numbers may be believed.", units.Short, verdicts(`valid="True"`)).Thresholds(from("green")),
		figure("Ended, not valid", "Runs that ended without numbers that may be believed.", units.Short, verdicts(`valid!="True"`)).
			Thresholds(from("green", above(1, "orange"))),
		figure("Objectives missed", "Runs that ended and didn't keep all of their objectives.", units.Short, verdicts(`passed="False"`)).
			Thresholds(from("green", above(1, "red"))),
		figure("Free for results", "Of the results server's volume.", units.PercentUnit,
			query{"min(kvbench_results_free_bytes / kvbench_results_volume_bytes)", "free"}).
			Thresholds(from("red", above(0.1, "orange"), above(0.2, "green"))),
		figure("Programs", "Controllers and results servers that answer.", units.Short, query{`count(kvbench_build_info{kvbench_io_run=""})`, "programs"}).
			Thresholds(from("red", above(2, "green"))),
		figure("Failed passes", "Passes of the controllers that ended with an error, in a second.", units.Short,
			query{"sum(rate(controller_runtime_reconcile_errors_total" + window + ")" + ours + ")", "errors"}).
			Thresholds(from("green", above(0.1, "orange"), above(1, "red"))),
	}
}

func fleetRuns() []panel {
	columns := func(values ...column) []column {
		return append([]column{
			{"run_namespace", "Namespace", nil}, {"run", "Run", nil}, {"kvbench_io_run", "ID", linked()}, {"phase", "Phase", nil},
		}, values...)
	}
	return []panel{
		list("Under way", "Runs that have their turn. An ID leads to its run.", columns(column{"Value", "", nil}),
			query{"max by (run_namespace, run, kvbench_io_run, phase) (kvbench_run_under_way)", ""}).Span(half).Height(8),
		list("Ended", "The newest 100 runs that ended.", columns(
			column{"valid", "Valid", verdict()}, column{"passed", "Passed", verdict()}, column{"Value", "Ended", inUnit(units.DateTimeFromNow)},
		), query{"sort_desc(max by (run_namespace, run, kvbench_io_run, phase, valid, passed) (kvbench_run_completion_timestamp_seconds)) * 1000", ""}).
			Span(half).Height(8),
		lines("Runs by phase", "Of all BenchmarkRuns that exist.", units.Short, query{"max by (phase) (kvbench_runs)", "{{phase}}"}).Stacking(stacked()),
		lines("Verdicts", "Of the runs that ended and still exist.", units.Short,
			query{"max by (valid, passed) (kvbench_run_verdicts)", "valid {{valid}}, objectives {{passed}}"}).Stacking(stacked()),
	}
}

func controller() []panel {
	return []panel{
		lines("Passes", "Looks at an object, by controller and result.", units.Short,
			query{"sum by (controller, result) (rate(controller_runtime_reconcile_total" + window + ")" + ours + ")", "{{controller}} {{result}}"}),
		lines("A pass takes", "95 of 100 passes take less.", units.Seconds,
			query{"histogram_quantile(0.95, sum by (controller, le) (rate(controller_runtime_reconcile_time_seconds_bucket" + window + ")" + ours + "))", "{{controller}}"}),
		lines("Waiting for a pass", "Objects in the controllers' queues.", units.Short,
			query{"sum by (name) (workqueue_depth" + ours + ")", "{{name}}"}),
		lines("Requests to the API server", "By status code.", units.RequestsPerSecond,
			query{"sum by (code) (rate(rest_client_requests_total" + window + ")" + ours + ")", "{{code}}"}),
	}
}

func resultsServer() []panel {
	return []panel{
		lines("Requests", "By status code.", units.RequestsPerSecond,
			query{"sum by (code) (rate(kvbench_results_requests_total" + window + "))", "{{code}}"}),
		lines("An answer takes", "95 of 100 requests of a route take less. Long polls wait on purpose.", units.Seconds,
			query{"histogram_quantile(0.95, sum by (route, le) (rate(kvbench_results_request_duration_seconds_bucket" + window + ")))", "{{route}}"}),
		lines("Bytes kept", "Of bundles, in a second.", units.BytesPerSecondIEC,
			query{"sum(rate(kvbench_results_appended_bytes_total" + window + "))", "appended"}),
		lines("The volume", "What all runs take, and what is free.", units.BytesIEC,
			query{"sum(kvbench_results_bytes)", "runs"}, query{"sum(kvbench_results_free_bytes)", "free"}, query{"sum(kvbench_results_volume_bytes)", "volume"}),
	}
}

func programs() []panel {
	return []panel{
		list("Versions", "What runs now. Workers and observers of one version with the controller belong together.", []column{
			{"version", "Version", nil}, {"goversion", "Go", nil}, {"Value", "Processes", nil},
		}, query{"count by (version, goversion) (kvbench_build_info)", ""}).Height(5),
		lines("Processors", "Processor time in a second.", units.Short,
			query{"sum by (pod) (rate(process_cpu_seconds_total" + window + ")" + ours + ")", "{{pod}}"}),
		lines("Memory", "Resident.", units.BytesIEC, query{"sum by (pod) (process_resident_memory_bytes" + ours + ")", "{{pod}}"}),
	}
}
