package topology

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/clocks"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/usage"
)

// Limits of what observers write.
const (
	MaxSamples = 2_000_000 // two each second for eleven days

	// Leaders change a few times in a run; a store that has none may flap for hours.
	maxChanges = 20_000
	maxCounted = 500_000 // two each second for almost three days; 128 bytes each
	maxRepairs = 1000
)

// Collector collects the lines of all observers of a run.
type Collector struct {
	samples Topology
	changes int
	counted int // with numbers of records
	Usages  usage.Samples
	Repairs []report.Repair
	Clocks  clocks.Observer
}

// NextObserver says that the next line is of another observer, which has a clock of its own.
func (w *Collector) NextObserver() { w.Clocks.NextProcess() }

// Add adds a line, or refuses it. It takes the line's parts out of it.
func (w *Collector) Add(l *bundle.TopologyLine) error {
	if err := checkTopology(l); err != nil {
		return err
	}
	if l.Clock != nil {
		if err := clocks.Check(l.Clock); err != nil {
			return err
		}
	}
	w.Clocks.Add(l)
	if err := w.Usages.Take(l); err != nil {
		return err
	}
	if l.Repair != "" {
		if len(w.Repairs) == maxRepairs {
			return fmt.Errorf("more than %d repairs by all observers", maxRepairs)
		}
		w.Repairs = append(w.Repairs, report.Repair{Time: instant.Unix(l.AtUnixNanos).RFC3339(), What: l.Repair})
	}
	if len(w.samples) == MaxSamples {
		return fmt.Errorf("more than %d samples by all observers", MaxSamples)
	}
	at, records := instant.Unix(l.AtUnixNanos), takeRecords(l)
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
	w.samples = append(w.samples, Sample{At: at, records: records, TopologyLine: l})
	return nil
}

func checkTopology(l *bundle.TopologyLine) error {
	if len(l.Members) > report.MaxMembers {
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
		if len(name) > report.MaxName {
			return fmt.Errorf("a name of %d bytes", len(name))
		}
	}
	return nil
}

// Sorted is what was collected, in the order of time.
func (w *Collector) Sorted() Topology {
	slices.SortStableFunc(w.samples, func(a, b Sample) int { return cmp.Compare(a.At, b.At) })
	return w.samples
}
