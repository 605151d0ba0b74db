package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/units"
)

func recoveryBoard() *board {
	return &board{
		uid: "kvbench-recovery", title: "recovery", from: "now-15m", marksFaults: true,
		about: "The faults of runs, one upon the other: each line begins ten seconds before its injection, which is at 0. " +
			"Prometheus sees whole scrapes; a report has outages to the millisecond.",
		variables: []cog.Builder[dashboard.VariableModel]{
			severalRuns(), choice("after", "Seconds after", "60", "30,60,120,300,600"), scrape("1s"),
		},
		rows: []row{
			{title: "Injections", panels: []panel{injections()}},
			{title: "By the seconds since the injection", panels: recoveries()},
			{title: "As it was", folded: true, panels: asItWas()},
		},
	}
}

// injectedAt is known at each moment of the time that is shown, so that what was before an injection has its place too.
var injectedAt = fmt.Sprintf("max by (kvbench_io_run, fault) (last_over_time(kvbench_fault_injected_timestamp_seconds{%s}[$__range] @ end()))", ofRuns)

// since gives a value the label since, whole seconds, in whose places the query answers.
func since(seconds, by, value string) string {
	return fmt.Sprintf(`count_values by (%s) ("since", %s) * on (kvbench_io_run) group_left () (%s)`, by, seconds, value)
}

func injections() panel {
	during := fmt.Sprintf("(floor(time() - %s) >= 0) <= $after", injectedAt)
	return list("Injections", "How long the store wasn't steady in the seconds after, as the observer saw it once a scrape.",
		[]column{
			{"kvbench_io_run", "Run", linked()}, {"fault", "Fault", nil},
			{"Value #A", "Injected", inUnit(units.DatetimeISO)}, {"Value #B", "Not steady", inUnit(units.Seconds)},
		},
		query{injectedAt + " * 1000", ""},
		query{fmt.Sprintf("sum_over_time((clamp_max(1 + (%s), 1) * on (kvbench_io_run) group_left () (min by (kvbench_io_run) (kvbench_store_steady{%s}) == bool 0))[$__range:1s])",
			during, ofRuns), ""},
	).Height(6)
}

func recoveries() (panels []panel) {
	place := fmt.Sprintf("(floor(time() - %s) >= -10) <= $after", injectedAt)
	draw := func(title, about, unit, value string) {
		panels = append(panels, aligned(title, about, unit, "injection", "since the injection", query{
			fmt.Sprintf(`label_join(%s, "injection", " ", "kvbench_io_run", "fault")`, since(place, "kvbench_io_run, fault", value)), "",
		}))
	}
	const by = "kvbench_io_run"
	drawOperations(draw, by)
	draw("Members that answer", "As the observer sees them.", units.Short,
		fmt.Sprintf("sum by (%s) (max by (%s, member) (kvbench_member_up{%s}))", by, by, ofRuns))
	draw("Store is steady", "1 if all members are healthy and know one leader.", units.Short,
		fmt.Sprintf("min by (%s) (kvbench_store_steady{%s})", by, ofRuns))
	return panels
}

func asItWas() []panel {
	return []panel{
		lines("Throughput", "Operations that succeeded.", units.OpsPerSecond,
			query{rate(operations, ofRuns+`,outcome="ok"`, "kvbench_io_run"), "{{kvbench_io_run}}"}),
		states("Faults and steadiness", "Faults at work, and whether all members are healthy and know one leader. A kill is over at once.", []query{
			{fmt.Sprintf("max by (kvbench_io_run, fault, target) (kvbench_fault_active{%s}) + 2", ofRuns), "{{kvbench_io_run}} {{fault}} on {{target}}"},
			{fmt.Sprintf("min by (kvbench_io_run) (kvbench_store_steady{%s})", ofRuns), "{{kvbench_io_run}}"},
		}, means(0, "Not steady", "orange"), means(1, "Steady", "green"), means(2, "Over", "text"), means(3, "At work", "red")).Height(8),
	}
}
