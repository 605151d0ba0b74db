package render

import (
	"slices"
	"strings"

	"github.com/kvbench/kvbench/internal/report"
)

// lastingTable has a row for each fault that lasts until it is healed. It has its head alone if none does.
func lastingTable(r *report.Report) grid {
	rows := grid{{"fault that lasts", "separated from", "for", "ended", "whole after its end"}}
	for i := range r.Faults {
		f := &r.Faults[i]
		if !f.Lasts() {
			continue
		}
		row := []string{f.Name, dash(strings.Join(f.Peers, ", ")), report.Human(*f.DurationMicros), "–", "–"}
		switch {
		case f.EndedAt != nil:
			row[3] = bracket(f.EndedAt)
			if f.Reason != "" {
				row[3] += " (" + f.Reason + ")"
			}
		case f.InjectedAt != nil:
			row[3] = "not seen"
		}
		switch {
		case f.PartOf != "":
			row[4] = "part of " + f.PartOf
		case f.RecoveryMicros != nil:
			row[4] = "≤ " + report.Human(*f.RecoveryMicros)
		}
		rows = append(rows, row)
	}
	return rows
}

// writeLasting writes what only faults that last have.
func writeLasting(b *strings.Builder, r *report.Report) {
	if slices.ContainsFunc(r.Faults, func(f report.Fault) bool { return f.PartOf != "" }) {
		b.WriteString("\nFaults that overlap are one episode. Its outage is measured once, from the first injection on, and stands in the row " +
			"of the first fault. The others are part of it.\n")
	}
	if lasting := lastingTable(r); len(lasting) > 1 {
		b.WriteString("\nFaults that lasted until they were healed. The time from the end until all members were healthy is no part of the outage:\n\n")
		lasting.markdown(b)
	}
}

func bracket(b *report.Bracket) string {
	return strings.TrimSuffix(at(&b.After), " s") + " … " + at(&b.Before)
}
