package controllers

import (
	"math"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/report"
)

// summarizeReport takes the report's main figures into the status.
func summarizeReport(run *v1alpha1.BenchmarkRun, made *report.Report) {
	for i := range made.Workloads {
		if loading := made.Workloads[i].Loading; loading != nil {
			ensureWorkload(run, made.Workloads[i].Name).Load = &v1alpha1.LoadResult{
				Records: loading.Records, DurationMillis: loading.DurationMicros / 1000, Throughput: int64(math.Round(loading.Throughput)),
				Valid: loading.Valid,
			}
		}
	}
	if len(made.Workloads) == 0 {
		return
	}
	first := &made.Workloads[0]
	if len(first.Operations) == 0 {
		return // nothing was merged: a throughput of 0 would be a claim
	}
	summary := &v1alpha1.Summary{
		Throughput:        int64(math.Round(first.Throughput)),
		Operations:        first.Succeeded,
		Errors:            first.Failed + first.Unknown,
		Latencies:         latencies(first),
		LatenciesCensored: first.ResponseTimeCensored,
	}
	var worst int64
	for _, latency := range summary.Latencies {
		worst = max(worst, latency.P99Micros)
	}
	if worst > 0 {
		summary.P99 = forTheEye(worst, summary.LatenciesCensored)
	}
	summarizeFaults(summary, made.Faults)
	run.Status.Summary = summary
}

// latencies are the response times of an open loop, the service times of a closed one.
func latencies(w *report.Workload) []v1alpha1.Latency {
	var all []v1alpha1.Latency
	for i := range w.Operations {
		operation := &w.Operations[i]
		measured := operation.ResponseTime
		if measured == nil {
			measured = operation.ServiceTime
		}
		if operation.Outcome != "ok" || measured == nil {
			continue
		}
		all = append(all, v1alpha1.Latency{
			Operation: operation.Operation,
			P50Micros: measured.P50Micros, P95Micros: measured.P95Micros, P99Micros: measured.P99Micros,
		})
	}
	return all
}

// maxMemberName is what the API takes. A report's names are what an observer shipped.
const maxMemberName = 253

func summarizeFaults(summary *v1alpha1.Summary, faults []report.Fault) {
	longest, censored := int64(-1), false
	for _, fault := range faults {
		line := v1alpha1.FaultSummary{
			Name: fault.Name, Target: fault.Target,
			LeaderBefore: cut(fault.LeaderBefore, maxMemberName), LeaderAfter: cut(fault.LeaderAfter, maxMemberName), OutageCensored: fault.OutageCensored,
		}
		if fault.OutageMicros != nil {
			line.OutageMicros = *fault.OutageMicros
			// Any one that is longer than is known may be the longest.
			longest, censored = max(longest, *fault.OutageMicros), censored || fault.OutageCensored
		}
		summary.Faults = append(summary.Faults, line)
	}
	if longest >= 0 {
		summary.Outage = forTheEye(longest, censored)
	}
}

// forTheEye is a time, of which a lower bound begins with ">".
func forTheEye(micros int64, lowerBound bool) string {
	if lowerBound {
		return ">" + formatMicros(micros)
	}
	return formatMicros(micros)
}
