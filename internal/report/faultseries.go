package report

import (
	"fmt"
	"strings"
)

// FaultSeries is what a fault did to the operations of one kind on one shard, or of some of them together.
type FaultSeries struct {
	// Operation is YCSB's name. It is empty for what is left when each series with enough operations, and each
	// kind's others together, are judged: all operations, where there are none, or some never started.
	Operation string `json:"operation"`
	// Shard is the member that had the keys when the workers connected, or several, joined by commas; empty where
	// the store tells none, or Operation is.
	Shard string `json:"shard"`
	// OutageMicros is the longest time without service, Censored as in Fault, and Outages how many there were.
	OutageMicros int64   `json:"outageMicros"`
	Censored     bool    `json:"censored"`
	Outages      int     `json:"outages"`
	DownMicros   int64   `json:"downMicros"` // of all of them
	DownAt       *Moment `json:"downAt"`     // of the longest; null when there was none
	BackAt       *Moment `json:"backAt"`
}

// SeriesName is a series that had too few operations to be judged by itself.
type SeriesName struct {
	Operation string `json:"operation"`
	Shard     string `json:"shard"`
}

// tell says what became of each view.
func (f *injection) tell(c workloadClock, o *outage) {
	total, count := o.total, o.count
	f.out.DownTotalMicros, f.out.Outages = &total, &count
	f.out.Series, f.out.NotResolved = []FaultSeries{}, []SeriesName{}
	for i := range o.views {
		v := &o.views[i]
		line := FaultSeries{
			Operation: v.kind, Shard: v.shard, OutageMicros: v.longest.length(), Outages: len(v.intervals), DownMicros: v.total,
		}
		for _, one := range v.intervals {
			line.Censored = line.Censored || one.censored
		}
		if len(v.intervals) > 0 {
			line.DownAt, line.BackAt = c.moment(v.longest.start), c.moment(v.longest.end)
		}
		f.out.Series = append(f.out.Series, line)
	}
	for _, v := range o.thin {
		f.out.NotResolved = append(f.out.NotResolved, SeriesName{Operation: v.kind, Shard: v.shard})
	}
}

// faultSeries is a row for each series of the faults that did not hit all alike; its head alone where all did.
func (r *Report) faultSeries() grid {
	rows := grid{{"fault", "operations", "outage", "outages", "in all"}}
	for i := range r.Faults {
		f := &r.Faults[i]
		if !f.hitApart() {
			continue
		}
		for _, s := range f.Series {
			text := human(s.OutageMicros)
			if s.Censored {
				text = "≥ " + text
			}
			rows = append(rows, []string{f.Name, seriesText(s.Operation, s.Shard), text, fmt.Sprint(s.Outages), human(s.DownMicros)})
		}
	}
	return rows
}

// hitApart says whether the outages of two series differ by more than bins can tell.
func (f *Fault) hitApart() bool {
	for _, s := range f.Series {
		if s.OutageMicros+2*binMicros < *f.OutageMicros || s.Outages != *f.Outages {
			return true
		}
	}
	return false
}

// notResolved is a sentence about the series that were judged with others alone; "" without any.
func (f *Fault) notResolved() string {
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
