package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kvbench/kvbench/internal/bundle"
)

// Limits of what observers write.
const (
	maxSamples = 2_000_000 // two each second for eleven days
	// Leaders change a few times in a run; a store that has none may flap for hours.
	maxChanges = 20_000
	maxMembers = 16
	maxCounted = 500_000 // two each second for almost three days; 128 bytes each
	maxName    = 259     // bytes of an address; names of pods are shorter
	maxRepairs = 1000
)

// watched collects the lines of all observers of a run.
type watched struct {
	samples topology
	changes int
	counted int // with numbers of records
	usages  usages
	repairs []Repair
	clocks  clocksSeen
}

func (w *watched) add(l *bundle.TopologyLine) error {
	if err := checkTopology(l); err != nil {
		return err
	}
	if l.Clock != nil {
		if err := checkClock(l.Clock); err != nil {
			return err
		}
	}
	w.clocks.add(l)
	if err := w.usages.take(l); err != nil {
		return err
	}
	if l.Repair != "" {
		if len(w.repairs) == maxRepairs {
			return fmt.Errorf("more than %d repairs by all observers", maxRepairs)
		}
		w.repairs = append(w.repairs, Repair{Time: rfc3339(l.AtUnixNanos), What: l.Repair})
	}
	if len(w.samples) == maxSamples {
		return fmt.Errorf("more than %d samples by all observers", maxSamples)
	}
	at, records := l.AtUnixNanos, takeRecords(l)
	if records != nil {
		if w.counted++; w.counted > maxCounted {
			return fmt.Errorf("more than %d samples with numbers of records by all observers", maxCounted)
		}
	}
	if n := len(w.samples); n > 0 && sameTopology(w.samples[n-1].TopologyLine, l) {
		l = w.samples[n-1].TopologyLine
	} else if w.changes++; w.changes > maxChanges {
		return fmt.Errorf("more than %d changes by all observers", maxChanges)
	}
	w.samples = append(w.samples, sample{atNanos: at, records: records, TopologyLine: l})
	return nil
}

func checkTopology(l *bundle.TopologyLine) error {
	if len(l.Members) > maxMembers {
		return fmt.Errorf("%d members", len(l.Members))
	}
	if len(l.Repair) > bundle.MaxRepairBytes {
		return fmt.Errorf("a repair of %d bytes", len(l.Repair))
	}
	names := []string{l.Leader}
	for i := range l.Members {
		m := &l.Members[i]
		m.Error = "" // of no use here, and long
		names = append(names, m.Name, m.Role, m.Leader)
	}
	for _, name := range names {
		if len(name) > maxName {
			return fmt.Errorf("a name of %d bytes", len(name))
		}
	}
	return nil
}

func (w *watched) sorted() topology {
	slices.SortStableFunc(w.samples, func(a, b sample) int { return cmp.Compare(a.atNanos, b.atNanos) })
	return w.samples
}
