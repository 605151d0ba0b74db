package report

import (
	"fmt"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

// readLoading merges the files of a workload's loaders. Loading may be retried, as it
// writes the same records again: of each index the attempt that was complete first counts.
func (r *reader) readLoading(w *plan.Workload) {
	l := &Loaded{insert: newHistogram()}
	for index := range w.Load.Workers {
		writer, lines, finish := r.loader(w.Name, index)
		if finish == nil {
			r.problem(LoadIncomplete, w.Name, "loader %d left no complete files", index)
			continue
		}
		own, err := r.readInserts(writer)
		if err == nil {
			err = merge(l.insert, own.insert)
		}
		if err != nil {
			r.problem(FileCorrupt, w.Name, "loader %d: %v", index, err)
			continue
		}
		if finish.Dropped != 0 {
			r.problem(ValuesDropped, w.Name, "loader %d: its histograms could not take %d values", index, finish.Dropped)
		}
		l.add(index, lines, finish)
	}
	if len(l.lines) == 0 {
		return
	}
	r.in.Loadings[w.Name] = l
	if l.records < w.Records && len(l.lines) == w.Load.Workers {
		r.problem(LoadIncomplete, w.Name, "%d of %d records were loaded", l.records, w.Records)
	}
}

func (l *Loaded) add(index int, lines []bundle.SelfLine, finish *bundle.Finish) {
	if len(l.lines) == 0 || finish.StartedUnixNanos < l.startedNanos {
		l.startedNanos = finish.StartedUnixNanos
	}
	l.endedNanos = max(l.endedNanos, finish.EndedUnixNanos)
	l.records += finish.Inserted
	l.lines = append(l.lines, workerLines{index: index, lines: lines})
}

// loader is the attempt at an index that was complete first; finish is nil without any.
func (r *reader) loader(workload string, index int) (found bundle.Writer, of []bundle.SelfLine, first *bundle.Finish) {
	for _, w := range r.writers {
		if w.Role != bundle.RoleLoad || w.Workload != workload || w.Index != index {
			continue
		}
		if r.checkWhole(w, bundle.Hlog, bundle.Jsonl) != nil {
			continue // an attempt that didn't get to its end is what the next one is for
		}
		lines, finish, err := r.selfLines(w)
		if err != nil || finish == nil {
			continue
		}
		if first == nil || finish.EndedUnixNanos < first.EndedUnixNanos {
			found, of, first = w, lines, finish
		}
	}
	return found, of, first
}

func (r *reader) readInserts(w bundle.Writer) (*Loaded, error) {
	file, err := r.fsys.Open(w.File(bundle.Hlog))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	own := &Loaded{insert: newHistogram()}
	err = readLog(file, func(row logRow) error {
		if row.response || row.operation != stores.Insert.String() || row.outcome != stores.OK.String() {
			return nil
		}
		return merge(own.insert, row.histogram)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.File(bundle.Hlog), err)
	}
	return own, nil
}

// report of a loading.
func (l *Loaded) report() *Loading {
	duration := max(0, (l.endedNanos-l.startedNanos)/micro)
	return &Loading{
		Records:        l.records,
		DurationMicros: duration,
		Throughput:     perSecond(l.records, duration),
		Insert:         latency(l.insert),
		Errors:         countErrors(l.lines),
	}
}
