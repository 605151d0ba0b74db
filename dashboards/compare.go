package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/units"
)

func compareBoard() *board {
	return &board{
		uid: "kvbench-compare", title: "two or more runs", from: "now-3h",
		about: "Runs beside each other: each line begins with its run, at 0. Whether a difference is more than chance, " +
			"kubectl kvbench compare and suites say.",
		variables: []cog.Builder[dashboard.VariableModel]{severalRuns(), choice("after", "Seconds", "600", "300,600,1800,3600,10800"), scrape("1s")},
		rows: []row{
			{title: "Over the time that is shown, warm-up included", panels: []panel{byRun()}},
			{title: "By the seconds since the begin", panels: courses()},
		},
	}
}

func byRun() panel {
	const by = "kvbench_io_run"
	ok := ofRuns + `,outcome="ok"`
	all := rate(operations, ofRuns, by)
	inAll := func(matcher string) string {
		return fmt.Sprintf("sum by (%s) (increase(%s{%s}[$__range]))", by, operations, ofRuns+matcher)
	}
	over := func(q, histogram string) query { return query{quantile(q, histogram, ok, "[$__range]", by), ""} }
	return list("Runs", "An ID leads to its run.",
		[]column{
			{by, "Run", linked()}, {"store", "Store", nil},
			{"Value #A", "Throughput", inUnit(units.OpsPerSecond)}, {"Value #B", "Not ok", inUnit(units.PercentUnit)},
			{"Value #C", "Response p50", inUnit(units.Seconds)}, {"Value #D", "Response p99", inUnit(units.Seconds)},
			{"Value #E", "Service p50", inUnit(units.Seconds)}, {"Value #F", "Service p99", inUnit(units.Seconds)},
			{"Value #G", "Members", inUnit(units.Short)},
		},
		// While a worker ships what is left, nothing ends: that is no time of the load.
		query{fmt.Sprintf("avg_over_time((sum by (%[1]s, store) (rate(%[2]s{%[3]s}%[4]s)) and on (%[1]s) (%[5]s > 0))[$__range:$scrape])", by, operations, ok, window, all), ""},
		query{fmt.Sprintf("%s / (%s > 0)", inAll(`,outcome!="ok"`), inAll("")), ""},
		over("0.5", response), over("0.99", response), over("0.5", service), over("0.99", service),
		query{fmt.Sprintf("max_over_time((count by (%s) (max by (%s, member) (kvbench_member_up{%s})))[$__range:$scrape])", by, by, ofRuns), ""},
	)
}

// begins are when the first operations of a run ended: its workers are there before, and wait for each other.
var begins = fmt.Sprintf("min by (kvbench_io_run) (min_over_time(timestamp(kvbench_operations_total{%s} > 0)[$__range:$scrape] @ end()))", ofRuns)

func courses() (panels []panel) {
	const by = "kvbench_io_run"
	// A place for each five seconds: a series is one of them.
	place := fmt.Sprintf("5 * floor((time() - %s) / 5) <= $after", begins)
	draw := func(title, about, unit, value string) {
		panels = append(panels, aligned(title, about, unit, by, "since the begin", query{since(place, by, value), ""}))
	}
	drawOperations(draw, by)
	return panels
}

// drawOperations draws what clients saw of each run.
func drawOperations(draw func(title, about, unit, value string), by string) {
	ok := ofRuns + `,outcome="ok"`
	draw("Throughput", "Operations that succeeded.", units.OpsPerSecond, rate(operations, ok, by))
	draw("Not ok", "Operations that failed, or whose outcome is unknown.", units.OpsPerSecond,
		orNone(rate(operations, ofRuns+`,outcome!="ok"`, by), rate(operations, ofRuns, by)))
	draw("Response time p99", "From the intended start, of operations that succeeded. A closed loop has none.", units.Seconds,
		quantile("0.99", response, ok, window, by))
	draw("Service time p99", "From the send, of operations that succeeded.", units.Seconds, quantile("0.99", service, ok, window, by))
}
