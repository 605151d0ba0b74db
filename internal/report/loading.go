package report

import (
	"fmt"
	"slices"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

// readLoading merges the files of a workload's loaders. Loading may be retried, as it
// writes the same records again: of each index the attempt that was complete first counts.
func (r *reader) readLoading(w *plan.Workload) {
	l, before := &Loaded{insert: newHistogram()}, len(r.in.Problems)
	for index := range w.Load.Workers {
		loader, attempts := r.loader(w.Name, index)
		if loader == nil {
			r.problem(LoadIncomplete, w.Name, "loader %d left no complete files", index)
			continue
		}
		own, err := r.readInserts(loader.writer)
		if err == nil {
			err = merge(l.insert, own.insert)
		}
		if err != nil {
			r.problem(FileCorrupt, w.Name, "loader %d: %v", index, err)
			continue
		}
		if loader.finish.Dropped != 0 {
			r.problem(ValuesDropped, w.Name, "loader %d: its histograms could not take %d values", index, loader.finish.Dropped)
		}
		l.add(loader)
		if attempts > 1 {
			l.problems = append(l.problems, Reason{Reason: LoadRepeated, Workload: w.Name,
				Message: fmt.Sprintf("while loading, loader %d was started %d times: it may have written records over those that were there", index, attempts)})
		}
	}
	if len(l.loaders) == 0 {
		return
	}
	r.in.Loadings[w.Name] = l
	if l.records < w.ToLoad() && len(l.loaders) == w.Load.Workers {
		r.problem(LoadIncomplete, w.Name, "%d of %d records were loaded", l.records, w.ToLoad())
	}
	l.problems = append(l.problems, r.in.Problems[before:]...)
}

func (l *Loaded) add(loader *selfOf) {
	finish := loader.finish
	if len(l.loaders) == 0 || finish.StartedUnixNanos < l.startedNanos {
		l.startedNanos = finish.StartedUnixNanos
	}
	l.endedNanos = max(l.endedNanos, finish.EndedUnixNanos)
	l.records += finish.Inserted
	l.batch = max(l.batch, finish.Batch, 1)
	l.loaders = append(l.loaders, loader)
}

// loader is the attempt at an index that was complete first, nil without any, and how many attempts
// had begun until then.
func (r *reader) loader(workload string, index int) (first *selfOf, attempts int) {
	var complete []*selfOf
	for _, w := range r.writers {
		if w.Role != bundle.RoleLoad || w.Workload != workload || w.Index != index {
			continue
		}
		attempts++
		if r.checkWhole(w, bundle.Hlog, bundle.Jsonl) != nil {
			continue // an attempt that didn't get to its end is what the next one is for
		}
		self, err := readSelfLines(r.fsys, w)
		if err != nil || self.finish == nil {
			continue
		}
		complete = append(complete, self)
		if first == nil || self.finish.EndedUnixNanos < first.finish.EndedUnixNanos {
			first = self
		}
	}
	for _, self := range complete {
		if self.finish.StartedUnixNanos >= first.finish.EndedUnixNanos {
			attempts--
		}
	}
	if first != nil {
		attempts += r.silentLoaders(workload, index, first.finish.EndedUnixNanos)
	}
	return first, attempts
}

// silentLoaders counts the attempts at an index before a time that claimed it, and of which no file is
// left: what they wrote to the store before they ended is there all the same.
func (r *reader) silentLoaders(workload string, index int, until int64) (count int) {
	seen := map[string]bool{}
	for _, c := range r.claims {
		if c.Role != bundle.RoleLoad || c.Workload != workload || c.Index != index || c.AtUnixNanos >= until || seen[c.PodUID] {
			continue
		}
		seen[c.PodUID] = true
		if !slices.Contains(r.writers, c.Writer) {
			count++
		}
	}
	return count
}

func (r *reader) readInserts(w bundle.Writer) (*Loaded, error) {
	file, err := r.fsys.Open(w.File(bundle.Hlog))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	own := &Loaded{insert: newHistogram()}
	err = readLog(file, func(row logRow, h *hdr.PackedHistogram) error {
		if row.time != serviceTime || row.operation != stores.Insert.String() || row.outcome != stores.OK.String() {
			return nil
		}
		return merge(own.insert, h)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.File(bundle.Hlog), err)
	}
	return own, nil
}

// report of a workload's loading. more is what else its figures may not be believed for.
func (l *Loaded) report(w *plan.Workload, more ...Reason) *Loading {
	duration := max(0, (l.endedNanos-l.startedNanos)/micro)
	reasons := append(l.judge(w), slices.Concat(l.problems, more)...)
	return &Loading{
		Valid:          len(reasons) == 0,
		InvalidReasons: reasons,
		Records:        l.records,
		DurationMicros: duration,
		Throughput:     perSecond(l.records, duration),
		Batch:          l.batch,
		Insert:         latency(l.insert),
		Errors:         countErrors(l.loaders),
	}
}
