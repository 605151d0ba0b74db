package render

import (
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
)

// faultSeriesTable has a row for each series of the faults that did not hit all series alike. It has its head alone if all
// faults did.
func faultSeriesTable(r *report.Report) grid {
	rows := grid{{"fault", "operations", "outage", "outages", "in all"}}
	for i := range r.Faults {
		f := &r.Faults[i]
		if !hitApart(f) {
			continue
		}
		for _, s := range f.Series {
			text := report.Human(s.OutageMicros)
			if s.Censored {
				text = "≥ " + text
			}
			rows = append(rows, []string{f.Name, seriesText(s.Operation, s.Shard), text, fmt.Sprint(s.Outages), report.Human(s.DownMicros)})
		}
	}
	return rows
}

// hitApart says whether the outages of two series differ by more than bins can tell.
func hitApart(f *report.Fault) bool {
	for _, s := range f.Series {
		if s.OutageMicros+2*bundle.BinMillis*1000 < *f.OutageMicros || s.Outages != *f.Outages {
			return true
		}
	}
	return false
}

// notResolved is a sentence about the series that were judged with others alone; "" without any.
func notResolved(f *report.Fault) string {
	var names []string
	for _, s := range f.NotResolved {
		names = append(names, seriesText(s.Operation, s.Shard))
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("Before fault %s there were too few operations to judge some by themselves: %s", f.Name, strings.Join(names, "; "))
}

func seriesText(operation, shard string) string {
	if operation == "" {
		return "all others"
	}
	if shard != "" {
		operation += " on " + shard
	}
	return operation
}

func filesTable(r *report.Report) grid {
	rows := grid{{"file", "ConfigMap", "key", "bytes", "SHA-256"}}
	for _, f := range r.Files {
		rows = append(rows, []string{f.Name, f.ConfigMap, f.Key, fmt.Sprint(f.Bytes), f.SHA256})
	}
	return rows
}

func faultsTable(r *report.Report) grid {
	rows := grid{{"fault", "target", "injected", "effective", "outage", "longest gap", "healed", "leader", "term", "records lost"}}
	for i := range r.Faults {
		f := &r.Faults[i]
		row := []string{f.Name + " (" + f.Action + ")", dash(strings.Join(f.Hit(), ", ")), "not injected", "–", "–", "–", "–", "–", "–", "–"}
		if f.InjectedAt != nil {
			row[2] = bracket(f.InjectedAt)
			row[3] = at(f.EffectiveAt)
			if f.PartOf == "" {
				row[4], row[5] = outageText(f), report.Human(*f.LongestGapMicros)
			} else {
				row[4] = "part of " + f.PartOf
			}
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
const mentionedErrorMicros = bundle.BinMillis * 1000

func outageText(f *report.Fault) string {
	text := report.Human(*f.OutageMicros)
	if f.OutageCensored {
		text = "≥ " + text
	}
	if f.OutageErrorMicros != nil && *f.OutageErrorMicros >= mentionedErrorMicros {
		text += " ± " + report.Human(*f.OutageErrorMicros)
	}
	if f.LimitedByClient {
		text += " (limited by client)"
	}
	if f.AwayBefore {
		text += " (away before)"
	}
	if *f.Outages > 1 {
		text += fmt.Sprintf("; %d outages, %s in all", *f.Outages, report.Human(*f.DownTotalMicros))
	}
	return text
}

func at(m *report.Moment) string {
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
