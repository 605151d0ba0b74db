package render

import (
	"fmt"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/limits"
)

// notes say what the table of operations can't. Most workloads have none.
func notes(w *report.Workload) []string {
	var notes []string
	if w.OverRange != 0 {
		notes = append(notes, fmt.Sprintf("%d times were above %s and count as that: what is near it is a lower bound",
			w.OverRange, report.Human(bundle.HistogramMaxMicros)))
	}
	if w.ResponseTimeCensored {
		notes = append(notes, fmt.Sprintf("%d operations never started and have no response time: the percentiles are lower bounds, and so are maximum and mean",
			w.NeverStarted))
	}
	if w.Saturated {
		notes = append(notes, fmt.Sprintf("the store was saturated: in %d seconds of workers most operations waited for it, and the generator had cores to spare. The throughput is what the store can do; response times are as long as the queue, which grows with the measurement",
			w.SaturatedSeconds))
	}
	if lag := lagNote(w); lag != "" {
		notes = append(notes, lag)
	}
	if share := w.Generator.CoreShare; w.Load.Model == report.ModelClosed && share != nil && *share >= limits.MaxCoreShare {
		notes = append(notes, fmt.Sprintf("the generator used or waited for %.0f %% of its cores: what it needs itself may bound the throughput, and is in the latencies", 100**share))
	}
	return notes
}

// Remarks are what has to be known beside the figures, a line each.
func Remarks(w *report.Workload) []string {
	var lines []string
	if lag := lagLine(&w.Generator); lag != "" {
		lines = append(lines, lag)
	}
	return append(lines, notes(w)...)
}

func workloadLine(w *report.Workload) string {
	never := ""
	if w.NeverStarted != 0 {
		never = fmt.Sprintf(", %d never started", w.NeverStarted)
	}
	return fmt.Sprintf("%s operations/s over %s: %d ok, %d failed, %d unknown%s of %d intended",
		number(w.Throughput), report.Human(w.DurationMicros), w.Succeeded, w.Failed, w.Unknown, never, w.Intended)
}

// operationsTable has response times (open loop) or service times (closed loop). It returns which of them.
func operationsTable(w *report.Workload) (grid, string) {
	rows := grid{{"operation", "outcome", "count", "p50", "p95", "p99", "p99.9", "max", "mean"}}
	which := "response time"
	if w.Load.Model == report.ModelClosed {
		which = "service time"
	} else {
		rows[0] = append(rows[0], "wait p99", "service p99") // its two parts
	}
	for _, op := range w.Operations {
		l := op.ResponseTime
		if w.Load.Model == report.ModelClosed {
			l = op.ServiceTime
		}
		row := []string{op.Operation, op.Outcome, fmt.Sprint(op.Count)}
		if l == nil {
			row = append(row, "–", "–", "–", "–", "–", "–")
		} else {
			for _, n := range []int64{l.P50Micros, l.P95Micros, l.P99Micros, l.P999Micros, l.MaxMicros, l.MeanMicros} {
				row = append(row, report.Human(n))
			}
		}
		if w.Load.Model == report.ModelOpen {
			row = append(row, p99(op.WaitTime), p99(op.ServiceTime))
		}
		rows = append(rows, row)
	}
	return rows, which
}

func p99(l *report.Latency) string {
	if l == nil {
		return "–"
	}
	return report.Human(l.P99Micros)
}
