package read

import (
	"fmt"
	"slices"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/report/hlog"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/telemetry"
	"github.com/kvbench/kvbench/internal/stores"
)

// readLoading merges the files of a workload's loaders. Loading may be retried, as it
// writes the same records again: of each index the attempt that was complete first counts.
func (r *reader) readLoading(w *plan.Workload) {
	l, before := &Loaded{Insert: histogram.New()}, len(r.in.Problems)
	for index := range w.Load.Workers {
		loader, attempts := r.loader(w.Name, index)
		if loader == nil {
			r.problem(report.LoadIncomplete, w.Name, "loader %d left no complete files", index)
			continue
		}
		own, err := r.readInserts(loader.Writer)
		if err == nil {
			err = histogram.Merge(l.Insert, own.Insert)
		}
		if err != nil {
			r.problem(report.FileCorrupt, w.Name, "loader %d: %v", index, err)
			continue
		}
		if loader.Finish.Dropped != 0 {
			r.problem(report.ValuesDropped, w.Name, "loader %d: its histograms could not take %d values", index, loader.Finish.Dropped)
		}
		l.add(loader)
		if attempts > 1 {
			l.Problems = append(l.Problems, report.Reason{Reason: report.LoadRepeated, Workload: w.Name,
				Message: fmt.Sprintf("while loading, loader %d was started %d times: it may have written records over those that were there", index, attempts)})
		}
	}
	if len(l.Loaders) == 0 {
		return
	}
	r.in.Loadings[w.Name] = l
	if l.Records < w.ToLoad() && len(l.Loaders) == w.Load.Workers {
		r.problem(report.LoadIncomplete, w.Name, "%d of %d records were loaded", l.Records, w.ToLoad())
	}
	l.Problems = append(l.Problems, r.in.Problems[before:]...)
}

func (l *Loaded) add(loader *telemetry.Worker) {
	finish := loader.Finish
	if len(l.Loaders) == 0 || instant.Unix(finish.StartedUnixNanos) < l.Started {
		l.Started = instant.Unix(finish.StartedUnixNanos)
	}
	l.Ended = max(l.Ended, instant.Unix(finish.EndedUnixNanos))
	l.Records += finish.Inserted
	l.Batch = max(l.Batch, finish.Batch, 1)
	l.Loaders = append(l.Loaders, loader)
}

// loader is the attempt at an index that was complete first, nil without any, and how many attempts
// had begun until then.
func (r *reader) loader(workload string, index int) (first *telemetry.Worker, attempts int) {
	var complete []*telemetry.Worker
	for _, w := range r.writers {
		if w.Role != bundle.RoleLoad || w.Workload != workload || w.Index != index {
			continue
		}
		attempts++
		if r.checkComplete(w, bundle.Hlog, bundle.Jsonl) != nil {
			continue // an attempt that didn't get to its end is what the next one is for
		}
		loader, err := readWriter(r.fsys, w)
		if err != nil || loader.Finish == nil {
			continue
		}
		complete = append(complete, loader)
		if first == nil || loader.Finish.EndedUnixNanos < first.Finish.EndedUnixNanos {
			first = loader
		}
	}
	for _, loader := range complete {
		if loader.Finish.StartedUnixNanos >= first.Finish.EndedUnixNanos {
			attempts--
		}
	}
	if first != nil {
		attempts += r.silentLoaders(workload, index, first.Finish.EndedUnixNanos)
	}
	return first, attempts
}

// silentLoaders counts the attempts that claimed an index before a time, and left no file. What they wrote to the store
// is there all the same.
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
	own := &Loaded{Insert: histogram.New()}
	err = hlog.Read(file, func(row hlog.Row, h *hdr.PackedHistogram) error {
		if row.Time != hlog.ServiceTime || row.Operation != stores.Insert.String() || row.Outcome != stores.OK.String() {
			return nil
		}
		return histogram.Merge(own.Insert, h)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.File(bundle.Hlog), err)
	}
	return own, nil
}
