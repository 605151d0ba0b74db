package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/units"
)

func storeBoard() *board {
	return &board{
		uid: "kvbench-store", title: "a store under load", from: "now-15m", marksFaults: true,
		about: "What the members of a run's store do and use, beside what clients get. What the controller knows of them is from their kubelets, " +
			"every 10 to 15 seconds. The folded rows need more of your Prometheus: docs/reference/metrics.md says what.",
		variables: []cog.Builder[dashboard.VariableModel]{oneRun(), workloads(), scrape("1s")},
		rows: []row{
			{title: "What clients get", panels: beside()},
			{title: "Members, as the observer sees them", panels: []panel{memberStates(), terms()}},
			{title: "Members, as their kubelets see them", panels: used()},
			{title: "Members, as cAdvisor sees them", folded: true, panels: cadvisor()},
			{title: "etcd's own metrics", folded: true, panels: etcd()},
		},
	}
}

func beside() []panel {
	return []panel{
		lines("Throughput", "Operations that succeeded.", units.OpsPerSecond,
			query{rate(operations, ofRun+`,outcome="ok"`, "operation"), "{{operation}}"}).Stacking(stacked()).Span(third),
		lines("Errors", "Operations that failed, or whose outcome is unknown.", units.OpsPerSecond, failures(ofRun)).Stacking(stacked()).Span(third),
		times("Service time", "From the send, of operations that succeeded.", percentiles(service, ofRun)...).Span(third),
	}
}

func terms() panel {
	return lines("Term", "Of the leader; without one, the highest of any member. A store that tells no term has none.", units.Short,
		query{fmt.Sprintf("max(kvbench_store_term{%s})", ofStore), "term"}).Height(6)
}

func used() []panel {
	of := func(metric string) query {
		return query{fmt.Sprintf("max by (member) (%s{%s})", metric, ofStore), "{{member}}"}
	}
	return []panel{
		lines("Processors", "Processor time in a second, over a minute: kubelets look seldom.", units.Short,
			query{fmt.Sprintf("max by (member) (rate(kvbench_member_cpu_seconds_total{%s}[1m]))", ofStore), "{{member}}"}).Span(third),
		lines("Memory", "Without the pages of files that could be dropped at once.", units.BytesIEC, of("kvbench_member_memory_bytes")).Span(third),
		lines("Data", "What the data volume holds, where it is an emptyDir.", units.BytesIEC, of("kvbench_member_data_bytes")).Span(third),
	}
}

// cadvisor needs a Prometheus that scrapes kubelets, as the Prometheus operator's has it. The names of a run's pods begin with its ID.
func cadvisor() []panel {
	const of = `pod=~"$run-.*",container!="",container!="POD"`
	return []panel{
		lines("Throttled", "Share of the periods in which a container's quota was used up.", units.PercentUnit,
			query{fmt.Sprintf("sum by (pod) (rate(container_cpu_cfs_throttled_periods_total{%[1]s}[2m])) / sum by (pod) (rate(container_cpu_cfs_periods_total{%[1]s}[2m]))", of), "{{pod}}"}).
			Interval("30s").Span(third),
		lines("Written", "To disks, by container.", units.BytesPerSecondIEC,
			query{fmt.Sprintf("sum by (pod) (rate(container_fs_writes_bytes_total{%s}[2m]))", of), "{{pod}}"}).Span(third),
		lines("Sent", "Over the network, by pod.", units.BytesPerSecondIEC,
			query{`sum by (pod) (rate(container_network_transmit_bytes_total{pod=~"$run-.*"}[2m]))`, "{{pod}}"}).Span(third),
	}
}

// etcd needs the chart's metrics.stores, or the job kvbench-stores.
func etcd() []panel {
	p99 := func(metric string) query {
		return query{fmt.Sprintf("histogram_quantile(0.99, sum by (pod, le) (rate(%s_bucket{%s}[1m])))", metric, ofStore), "{{pod}}"}
	}
	return []panel{
		times("Log written p99", "How long a member waits for its disk to take an entry of the log.", p99("etcd_disk_wal_fsync_duration_seconds")).Span(third),
		times("Round trip p99", "From one member to another.", p99("etcd_network_peer_round_trip_time_seconds")).Span(third),
		lines("Proposals pending", "Writes that a member has asked the leader for.", units.Short,
			query{fmt.Sprintf("sum by (pod) (etcd_server_proposals_pending{%s})", ofStore), "{{pod}}"}).Span(third),
		lines("Database", "Size of the file.", units.BytesIEC,
			query{fmt.Sprintf("sum by (pod) (etcd_mvcc_db_total_size_in_bytes{%s})", ofStore), "{{pod}}"}).Span(third),
		lines("Leader changes seen", "Since the member began.", units.Short,
			query{fmt.Sprintf("sum by (pod) (etcd_server_leader_changes_seen_total{%s})", ofStore), "{{pod}}"}).Span(third),
		lines("Memory", "Resident.", units.BytesIEC,
			query{fmt.Sprintf(`sum by (pod) (process_resident_memory_bytes{%s,kvbench_io_role="store"})`, ofStore), "{{pod}}"}).Span(third),
	}
}
