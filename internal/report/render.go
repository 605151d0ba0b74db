package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
)

// JSON is the report as docs/reference/report.schema.json describes it. The same report
// gives the same bytes.
func (r *Report) JSON() ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(r); err != nil {
		return nil, fmt.Errorf("rendering the report: %w", err)
	}
	return buffer.Bytes(), nil
}

// grid is a table of text; the first row is its head.
type grid [][]string

// verdict in one line.
func (r *Report) verdict() string {
	if r.Valid {
		return "valid"
	}
	return verdictOf(r.InvalidReasons)
}

func verdictOf(reasons []Reason) string {
	if len(reasons) == 1 {
		return "NOT VALID"
	}
	return fmt.Sprintf("NOT VALID, for %d reasons", len(reasons))
}

func (r *Report) storeLine() string {
	version := r.Store.Version
	if repository := r.Store.repository(); repository != "" {
		version += " of " + repository // which may be another program's, of a version of its own
	}
	if r.Store.Existing {
		version = "of unknown version"
	}
	if own := r.Store.OwnChart; own != nil {
		version = fmt.Sprintf("of chart %s %s", own.Name, own.Version)
	}
	line := fmt.Sprintf("%s %s, %d members, %s", r.Store.Name, version, len(r.Store.Members), r.Store.Mode)
	if r.Store.Security != stores.SecurityNone {
		line += ", security " + r.Store.Security
	}
	return line
}

// line says how load was made.
func (l *Load) line() string {
	if l.Model == ModelClosed {
		return fmt.Sprintf("closed loop, %d workers × %d threads", l.Workers, l.Threads)
	}
	arrivals := l.Arrivals
	if l.Trace != nil {
		arrivals = fmt.Sprintf("trace of %d requests, times × %s", l.Trace.Rows, strconv.FormatFloat(l.Trace.Stretch, 'g', -1, 64))
	}
	return fmt.Sprintf("open loop, %s operations/s (%s), %d workers, at most %d in flight",
		l.rates(), arrivals, l.Workers, l.MaxInFlight)
}

// rates says in short how the rate changes.
func (l *Load) rates() string {
	switch {
	case l.Trace != nil:
		return fmt.Sprintf("up to %s", number(l.Rate))
	case l.Shape == nil:
		return number(l.Rate)
	case l.Shape.Sine != nil:
		s := l.Shape.Sine
		return fmt.Sprintf("%s ± %s in %s", number(s.Mean), number(s.Amplitude), human(s.PeriodMillis*1000))
	}
	lowest := l.Rate
	for _, s := range l.Shape.Segments {
		lowest = min(lowest, s.From, s.To)
	}
	return fmt.Sprintf("%s to %s in %d parts", number(lowest), number(l.Rate), len(l.Shape.Segments))
}

func (l *Loading) line() string {
	text := fmt.Sprintf("%d records in %s, %s records/s", l.Records, human(l.DurationMicros), number(l.Throughput))
	if l.Insert != nil {
		text += fmt.Sprintf(", insert p50 %s, p99 %s", human(l.Insert.P50Micros), human(l.Insert.P99Micros))
	}
	if !l.Valid {
		text += ": " + verdictOf(l.InvalidReasons)
	}
	return text
}

// notes say what the operations' table can't; none mostly.
func (w *Workload) notes() []string {
	var notes []string
	if w.OverRange != 0 {
		notes = append(notes, fmt.Sprintf("%d times were above %s and count as that: what is near it is a lower bound",
			w.OverRange, human(bundle.HistogramMaxMicros)))
	}
	if w.ResponseTimeCensored {
		notes = append(notes, fmt.Sprintf("%d operations never started and have no response time: the percentiles are lower bounds, and so are maximum and mean",
			w.NeverStarted))
	}
	if w.Saturated {
		notes = append(notes, fmt.Sprintf("the store was saturated: in %d seconds of workers most operations waited for it, and the generator had cores to spare. The throughput is what the store can do; response times are as long as the queue, which grows with the measurement",
			w.SaturatedSeconds))
	}
	if lag := w.lagNote(); lag != "" {
		notes = append(notes, lag)
	}
	if share := w.Generator.CoreShare; w.Load.Model == ModelClosed && share != nil && *share >= maxCoreShare {
		notes = append(notes, fmt.Sprintf("the generator used or waited for %.0f %% of its cores: what it needs itself may bound the throughput, and is in the latencies", 100**share))
	}
	return notes
}

// Remarks are what has to be known beside the figures, a line each.
func (w *Workload) Remarks() []string {
	var lines []string
	if lag := w.Generator.lagLine(); lag != "" {
		lines = append(lines, lag)
	}
	return append(lines, w.notes()...)
}

func (w *Workload) line() string {
	never := ""
	if w.NeverStarted != 0 {
		never = fmt.Sprintf(", %d never started", w.NeverStarted)
	}
	return fmt.Sprintf("%s operations/s over %s: %d ok, %d failed, %d unknown%s of %d intended",
		number(w.Throughput), human(w.DurationMicros), w.Succeeded, w.Failed, w.Unknown, never, w.Intended)
}

// operations as a table of response times (open loop) or service times (closed loop).
func (w *Workload) operations() (grid, string) {
	rows := grid{{"operation", "outcome", "count", "p50", "p95", "p99", "p99.9", "max", "mean"}}
	which := "response time"
	if w.Load.Model == ModelClosed {
		which = "service time"
	} else {
		rows[0] = append(rows[0], "wait p99", "service p99") // its two parts
	}
	for _, op := range w.Operations {
		l := op.ResponseTime
		if w.Load.Model == ModelClosed {
			l = op.ServiceTime
		}
		row := []string{op.Operation, op.Outcome, fmt.Sprint(op.Count)}
		if l == nil {
			row = append(row, "–", "–", "–", "–", "–", "–")
		} else {
			for _, n := range []int64{l.P50Micros, l.P95Micros, l.P99Micros, l.P999Micros, l.MaxMicros, l.MeanMicros} {
				row = append(row, human(n))
			}
		}
		if w.Load.Model == ModelOpen {
			row = append(row, p99(op.WaitTime), p99(op.ServiceTime))
		}
		rows = append(rows, row)
	}
	return rows, which
}

func p99(l *Latency) string {
	if l == nil {
		return "–"
	}
	return human(l.P99Micros)
}

func (r *Report) files() grid {
	rows := grid{{"file", "ConfigMap", "key", "bytes", "SHA-256"}}
	for _, f := range r.Files {
		rows = append(rows, []string{f.Name, f.ConfigMap, f.Key, fmt.Sprint(f.Bytes), f.SHA256})
	}
	return rows
}

func (r *Report) faults() grid {
	rows := grid{{"fault", "target", "injected", "effective", "outage", "longest gap", "healed", "leader", "term", "records lost"}}
	for i := range r.Faults {
		f := &r.Faults[i]
		row := []string{f.Name + " (" + f.Action + ")", dash(f.Target), "not injected", "–", "–", "–", "–", "–", "–", "–"}
		if f.InjectedAt != nil {
			row[2] = strings.TrimSuffix(at(&f.InjectedAt.After), " s") + " … " + at(&f.InjectedAt.Before)
			row[3] = at(f.EffectiveAt)
			row[4] = f.outageText()
			row[5] = human(*f.LongestGapMicros)
			row[6] = at(f.HealedAt)
			row[7] = dash(f.LeaderBefore) + " → " + dash(f.LeaderAfter)
			row[8] = fmt.Sprintf("%d → %d", f.TermBefore, f.TermAfter)
			if f.RecordsLost != nil {
				row[9] = fmt.Sprintf("≥ %d of %d", *f.RecordsLost, *f.RecordsBefore)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// mentionedErrorMicros is the error from which on a table names it: a bin. The report has
// it in any case.
const mentionedErrorMicros = binMicros

func (f *Fault) outageText() string {
	text := human(*f.OutageMicros)
	if f.OutageCensored {
		text = "≥ " + text
	}
	if f.OutageErrorMicros != nil && *f.OutageErrorMicros >= mentionedErrorMicros {
		text += " ± " + human(*f.OutageErrorMicros)
	}
	if f.LimitedByClient {
		text += " (limited by client)"
	}
	if f.AwayBefore {
		text += " (away before)"
	}
	if *f.Outages > 1 {
		text += fmt.Sprintf("; %d outages, %s in all", *f.Outages, human(*f.DownTotalMicros))
	}
	return text
}

func at(m *Moment) string {
	if m == nil {
		return "–"
	}
	return fmt.Sprintf("%+.3f s", float64(m.SinceStartMicros)/1e6)
}

func dash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

// human gives a duration three or four digits.
func human(micros int64) string {
	d := time.Duration(micros) * time.Microsecond
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", micros)
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%.2f ms", float64(micros)/1e3)
	case d < time.Second:
		return fmt.Sprintf("%.0f ms", float64(micros)/1e3)
	}
	return fmt.Sprintf("%.3f s", float64(micros)/1e6)
}

// number drops the decimals that say nothing.
func number(n float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", n), ".0")
}
