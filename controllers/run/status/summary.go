package status

import (
	"cmp"
	"math"
	"strconv"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/internal/report"
)

func formatMicros(micros int64) string {
	switch {
	case micros >= 9_995_000: // what two digits would round to 10.00
		return strconv.FormatFloat(float64(micros)/1e6, 'f', 1, 64) + "s"
	case micros >= 999_500:
		return strconv.FormatFloat(float64(micros)/1e6, 'f', 2, 64) + "s"
	case micros >= 9_950:
		return strconv.FormatInt((micros+500)/1000, 10) + "ms"
	}
	return strconv.FormatFloat(float64(micros)/1e3, 'f', 1, 64) + "ms"
}

// SummarizeReport takes the report's main figures into the status: those of each workload, and
// those of the worst for the eye.
func SummarizeReport(run *v1alpha1.BenchmarkRun, made *report.Report) {
	var worst *report.Workload
	for i := range made.Workloads {
		w := &made.Workloads[i]
		status := EnsureWorkload(run, w.Name)
		status.InvalidReasons = made.ReasonsOf(w.Name)
		if loading := w.Loading; loading != nil {
			status.Load = &v1alpha1.LoadResult{
				Records: loading.Records, DurationMillis: loading.DurationMicros / 1000, Throughput: int64(math.Round(loading.Throughput)),
				Valid: loading.Valid,
			}
		}
		if w.Intended == 0 {
			continue // nothing was merged: a throughput of 0 would be a claim
		}
		status.Summary = summaryOf(w)
		if worst == nil || worse(w, worst) {
			worst = w
		}
	}
	if worst == nil {
		return
	}
	run.Status.Summary = &v1alpha1.Summary{Workload: worst.Name, WorkloadSummary: *summaryOf(worst)}
	summarizeFaults(run.Status.Summary, made.Faults)
}

func summaryOf(w *report.Workload) *v1alpha1.WorkloadSummary {
	summary := &v1alpha1.WorkloadSummary{
		Throughput:        int64(math.Round(w.Throughput)),
		Operations:        w.Succeeded,
		Errors:            w.Failed + w.Unknown,
		Latencies:         latencies(w),
		LatenciesCensored: w.ResponseTimeCensored,
	}
	if p99 := longestP99(w); p99 > 0 {
		summary.P99 = forTheEye(p99, summary.LatenciesCensored)
	}
	return summary
}

// worse says that a larger share of a's operations did not succeed. Where the shares are equal, the longer
// p99 is worse. Operations that never started did not succeed.
func worse(a, b *report.Workload) bool {
	shares := cmp.Compare(float64(a.Succeeded)/float64(a.Intended), float64(b.Succeeded)/float64(b.Intended))
	return cmp.Or(shares, cmp.Compare(longestP99(b), longestP99(a))) < 0
}

// longestP99 is that of the operation with the longest one, in microseconds.
func longestP99(w *report.Workload) (longest int64) {
	for _, latency := range latencies(w) {
		longest = max(longest, latency.P99Micros)
	}
	return longest
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
			Name: fault.Name, Target: fault.Target, PartOf: fault.PartOf,
			LeaderBefore: message.Cut(fault.LeaderBefore, maxMemberName), LeaderAfter: message.Cut(fault.LeaderAfter, maxMemberName), OutageCensored: fault.OutageCensored,
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

// forTheEye is a time as people read it. A lower bound begins with ">".
func forTheEye(micros int64, lowerBound bool) string {
	if lowerBound {
		return ">" + formatMicros(micros)
	}
	return formatMicros(micros)
}
