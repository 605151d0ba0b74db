package export

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/kvbench/kvbench/internal/cli/compare/text"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/stores"
)

// told is what people have to know beside the export: where it is, and what its format can't hold.
func told(to *destination, f format, from *source, chosen []*report.Workload) []string {
	var lines []string
	if to.folder != "" {
		lines = append(lines, fmt.Sprintf("The results of %s are in %s.", from.name, to.folder))
	}
	return append(lines, lacks(f, from.report, chosen)...)
}

// lacks says what the format has no place for.
func lacks(f format, made *report.Report, chosen []*report.Workload) []string {
	var lines []string
	if !made.Valid {
		lines = append(lines, fmt.Sprintf("The numbers are not valid: %s. Do not compare them with others.", reasons(made)))
	}
	for _, w := range chosen {
		if f.bundled() && w.ResponseTimeCensored {
			lines = append(lines, fmt.Sprintf("%d operations of workload %s never started. The export has no response time for them, so its response times are lower bounds.", w.NeverStarted, text.Clean(w.Name)))
		}
		if f.bundled() && w.Saturated {
			lines = append(lines, fmt.Sprintf("The store could not take the load of workload %s. The queue grew until the end, and the response times with it.", text.Clean(w.Name)))
		}
		if f.ycsb() && w.Completed != w.Succeeded {
			lines = append(lines, fmt.Sprintf("The throughput of workload %s is of the %d successes that ended in the measurement. Its other lines have the %d that were due in it.", text.Clean(w.Name), w.Completed, w.Succeeded))
		}
		if f.ycsb() && w.Unknown > 0 && slices.ContainsFunc(w.Operations, func(o report.Operation) bool { return o.Outcome == stores.Unknown.String() }) {
			lines = append(lines, fmt.Sprintf("The outcome of %d operations of workload %s is unknown. YCSB's output counts them as failed.", w.Unknown, text.Clean(w.Name)))
		}
	}
	if faults := faultsOf(made, chosen); f.foreign() && faults > 0 {
		lines = append(lines, fmt.Sprintf("The format has no place for faults and outages. Of these workloads the report has %d: kubectl kvbench report shows what they did.", faults))
	}
	return lines
}

func faultsOf(made *report.Report, chosen []*report.Workload) (n int) {
	for i := range made.Faults {
		if slices.ContainsFunc(chosen, func(w *report.Workload) bool { return w.Name == made.Faults[i].Workload }) {
			n++
		}
	}
	return n
}

// reasons are the names of why the numbers are not valid. A report is a file, so its names are made harmless.
func reasons(made *report.Report) string {
	var list []string
	for i := range made.InvalidReasons {
		name := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return -1
		}, report.Truncate(made.InvalidReasons[i].Reason, 64))
		if name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		return "the report doesn't say why"
	}
	return strings.Join(list, ", ")
}
