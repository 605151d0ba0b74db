package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/units"
)

func runBoard() *board {
	return &board{
		uid: "kvbench-run", title: "a run", from: "now-15m", marksFaults: true,
		about:     "One BenchmarkRun: what its clients get, what its store does, and whether the generator keeps up. Figures to cite are in its report.",
		variables: []cog.Builder[dashboard.VariableModel]{oneRun(), workloads(), scrape("1s")},
		rows: []row{
			{title: "At a glance", panels: glance()},
			{title: "What clients get", panels: clients()},
			{title: "The store, as the observer sees it", panels: observed()},
			{title: "By operation, over the time that is shown", panels: []panel{byOperation()}},
			{title: "The load generator", folded: true, panels: generator()},
		},
	}
}

// judged is 1, 0 or 2 for the conditions of a run that ended, and 3 for one under way. Of others the controller tells nothing.
func judged(label string) query {
	of := func(matcher string) string {
		return fmt.Sprintf("(max(kvbench_run_completion_timestamp_seconds{%s,%s%s}) * 0)", ofStore, label, matcher)
	}
	under := fmt.Sprintf("(max(kvbench_run_under_way{%s}) * 0 + 3)", ofStore)
	return query{fmt.Sprintf(`%s + 1 or %s or %s + 2 or %s`, of(`="True"`), of(`="False"`), of(`!~"True|False"`), under), label}
}

func glance() []panel {
	ok := ofRun + `,outcome="ok"`
	return []panel{
		word("Numbers", "The condition Valid of a run that ended: whether its numbers may be believed.", judged("valid"),
			means(0, "Not valid", "red"), means(1, "Valid", "green"), means(2, "Unknown", "orange"), means(3, "Under way", "blue")).NoValue("Not known"),
		word("Objectives", "The condition Passed of a run that ended.", judged("passed"),
			means(0, "Missed", "red"), means(1, "Kept", "green"), means(2, "None known", "text"), means(3, "Under way", "blue")).NoValue("Not known"),
		figure("Throughput", "Operations that succeeded, in a second.", units.OpsPerSecond, query{rate(operations, ok, ""), "ok"}),
		figure("Not ok", "Operations that failed, or whose outcome is unknown.", units.PercentUnit, query{notOK(), "not ok"}).
			Thresholds(from("green", above(0.0001, "orange"), above(0.01, "red"))),
		figure("Response time p99", "From the intended start, of operations that succeeded. A closed loop has none.", units.Seconds,
			query{quantile("0.99", response, ok, window, ""), "p99"}).NoValue("Closed loop"),
		figure("Service time p99", "From the send, of operations that succeeded.", units.Seconds, query{quantile("0.99", service, ok, window, ""), "p99"}),
		figure("Members that answer", "As the observer sees them.", units.Short,
			query{fmt.Sprintf("sum(max by (member) (kvbench_member_up{%s}))", ofStore), "members"}),
		word("Store", "Steady is a store whose members are all healthy and know one leader.",
			query{fmt.Sprintf("min(kvbench_store_steady{%s})", ofStore), "steady"},
			means(0, "Not steady", "orange"), means(1, "Steady", "green")).NoValue("Unknown"),
	}
}

func notOK() string {
	all := rate(operations, ofRun, "")
	return fmt.Sprintf("(%s) / %s", orNone(rate(operations, ofRun+`,outcome!="ok"`, ""), all), all)
}

func clients() []panel {
	return []panel{
		lines("Throughput", "Operations that succeeded.", units.OpsPerSecond,
			query{rate(operations, ofRun+`,outcome="ok"`, "operation"), "{{operation}}"}).Stacking(stacked()),
		lines("Errors", "Operations that failed, or whose outcome is unknown.", units.OpsPerSecond,
			failures(ofRun)).Stacking(stacked()),
		times("Response time", "From the intended start, so it has the time that an operation waited because others were slow. "+
			"Of operations that succeeded. A closed loop has none.", percentiles(response, ofRun)...),
		times("Service time", "From the send, of operations that succeeded.", percentiles(service, ofRun)...),
		heat("Response times", "How many operations took how long, from the intended start, whatever their outcome.", density(response, ofRun)),
		heat("Service times", "How many operations took how long, from the send, whatever their outcome.", density(service, ofRun)),
	}
}

// memberStates are 0, 1 or 2: away, up, leader. A leader that doesn't answer is away, though the others still take it for the leader.
func memberStates() panel {
	return states("Members", "Who answers, and whom a majority of the members takes for the leader.", []query{{
		fmt.Sprintf("max by (member) (kvbench_member_up{%[1]s}) * (1 + max by (member) (kvbench_member_leader{%[1]s}))", ofStore), "{{member}}",
	}}, means(0, "No answer", "red"), means(1, "Up", "blue"), means(2, "Leader", "green"))
}

func observed() []panel {
	return []panel{
		memberStates(),
		states("Faults and steadiness", "Faults at work, and whether all members are healthy and know one leader. A kill is over at once.", []query{
			{fmt.Sprintf("max by (fault, target) (kvbench_fault_active{%s}) + 2", ofStore), "{{fault}} on {{target}}"},
			{fmt.Sprintf("min(kvbench_store_steady{%s})", ofStore), "store"},
		}, means(0, "Not steady", "orange"), means(1, "Steady", "green"), means(2, "Over", "text"), means(3, "At work", "red")),
	}
}

func byOperation() panel {
	increase := func(matcher string) string {
		return fmt.Sprintf("sum by (operation) (increase(%s{%s%s}[$__range]))", operations, ofRun, matcher)
	}
	ok := ofRun + `,outcome="ok"`
	return list("Operations", "Counts are by Prometheus, which estimates between scrapes. The report has them exactly.",
		[]column{
			{"operation", "Operation", nil},
			{"Value #A", "ok", inUnit(units.Short)},
			{"Value #B", "Failed", inUnit(units.Short)},
			{"Value #C", "Outcome unknown", inUnit(units.Short)},
			{"Value #D", "Service p50", inUnit(units.Seconds)},
			{"Value #E", "Service p99", inUnit(units.Seconds)},
			{"Value #F", "Response p50", inUnit(units.Seconds)},
			{"Value #G", "Response p99", inUnit(units.Seconds)},
		},
		query{increase(`,outcome="ok"`), ""},
		query{orNone(increase(`,outcome="failed"`), increase("")), ""},
		query{orNone(increase(`,outcome="unknown"`), increase("")), ""},
		query{quantile("0.5", service, ok, "[$__range]", "operation"), ""},
		query{quantile("0.99", service, ok, "[$__range]", "operation"), ""},
		query{quantile("0.5", response, ok, "[$__range]", "operation"), ""},
		query{quantile("0.99", response, ok, "[$__range]", "operation"), ""},
	)
}

func generator() []panel {
	return []panel{
		times("Lag of the sends", "The generator's own delay. The report judges it.",
			query{quantile("0.5", "kvbench_send_lag_seconds", ofRun, window, ""), "p50"},
			query{quantile("0.99", "kvbench_send_lag_seconds", ofRun, window, ""), "p99"}),
		lines("Under way", "Most operations under way in each second, by worker.", units.Short,
			query{fmt.Sprintf("sum by (pod) (kvbench_in_flight{%s})", ofRun), "{{pod}}"}).Stacking(stacked()),
		lines("Processors of workers", "Processor time in a second. A worker that has all of its limit measures itself.", units.Short,
			query{fmt.Sprintf(`sum by (pod) (rate(process_cpu_seconds_total{%s,kvbench_io_role="worker"}%s))`, ofStore, window), "{{pod}}"}),
		lines("Results on their way", "Bytes that the results server lacks, by worker.", units.BytesIEC,
			query{fmt.Sprintf("sum by (pod) (kvbench_ship_pending_bytes{%s})", ofRun), "{{pod}}"}),
	}
}
