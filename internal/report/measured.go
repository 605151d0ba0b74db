package report

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
)

// readWorkload merges the files of a workload's workers. A worker whose files are not
// whole contributes nothing: half of it would distort what the others measured.
func (r *reader) readWorkload(w *plan.Workload) {
	start := r.start(w.Name)
	if start == nil {
		return
	}
	workers, ended := r.readSelf(w)
	cut := cutAt(w, *start, workers)
	if cut > 0 {
		ended = cut
	}
	clock := newWorkloadClock(w, *start, ended)
	if lacks := missing(w, clock.measuredDuration); cut > 0 && lacks != "" {
		r.problem(ResultsFull, w.Name, "the results server had no room for more: %s", lacks)
	}
	injections := injectionsOf(r.in, w, clock)
	m := &Measured{
		clock:     clock,
		timeline:  newTimeline(clock, detailed(injections)),
		latencies: newLatencies(clock, w.Load.Rate > 0),
	}
	r.in.Workloads[w.Name] = m
	for _, worker := range workers {
		if err := r.readWorker(m, worker, clock.lastBin(w)); err != nil {
			r.problem(FileCorrupt, w.Name, "worker %d: %v", worker.writer.Index, err)
			continue
		}
		m.workers = append(m.workers, worker)
	}
	if err := m.latencies.mergeSeconds(r.fsys, m.workers, injections); err != nil {
		r.problem(FileCorrupt, w.Name, "%v", err)
	}
}

// readSelf reads what the workers say of themselves, of those whose files are whole, and
// when the last of them ended.
func (r *reader) readSelf(w *plan.Workload) (workers []*selfOf, endedNanos int64) {
	for index := range w.Load.Workers {
		writer, ok := r.worker(w.Name, index)
		if !ok {
			r.problem(WorkerLost, w.Name, "worker %d never claimed its index", index)
			continue
		}
		if err := r.checkWhole(writer, bundle.Hlog, bundle.Bins, bundle.Jsonl); err != nil {
			r.problem(reasonOfWhole(err), w.Name, "worker %d: %v", index, err)
			continue
		}
		self, err := readSelfLines(r.fsys, writer)
		if err != nil {
			r.problem(FileCorrupt, w.Name, "worker %d: %v", index, err)
			continue
		}
		if self.finish == nil {
			r.problem(NoFinish, w.Name, "worker %d: %s ends without its summary", index, writer.File(bundle.Jsonl))
			continue
		}
		if self.finish.Dropped != 0 {
			r.problem(ValuesDropped, w.Name, "worker %d: its histograms could not take %d values", index, self.finish.Dropped)
		}
		endedNanos = max(endedNanos, self.finish.EndedUnixNanos)
		workers = append(workers, self)
	}
	return workers, endedNanos
}

var errMissing = errors.New("is missing")

func reasonOfWhole(err error) string {
	if errors.Is(err, errMissing) {
		return WorkerLost
	}
	return FileIncomplete
}

// checkWhole says what is wrong with the first of a writer's files that isn't whole.
func (r *reader) checkWhole(w bundle.Writer, kinds ...string) error {
	for _, kind := range kinds {
		name := w.File(kind)
		if _, err := fs.Stat(r.fsys, name); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s %w", name, errMissing)
		}
		if err := checkEnd(r.fsys, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// readWorker adds a worker's interval log and bins to the workload's, or nothing of them.
// The bins are read twice, so that nothing of a file is added before all of it was seen.
func (r *reader) readWorker(m *Measured, worker *selfOf, lastBin int64) error {
	own := newLatencies(m.clock, m.latencies.ofResponses)
	name := worker.writer.File(bundle.Hlog)
	file, err := r.fsys.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := readLog(file, own.add); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := r.checkBins(m.clock, worker, lastBin); err != nil {
		return err
	}
	if err := r.readBins(m.clock, worker.writer, m.timeline.add); err != nil {
		return err
	}
	worker.sends = bySecond[sends]{first: own.sends.first, values: tight(own.sends.values)}
	return m.latencies.absorb(own)
}

// checkBins compares a worker's bins with its summary.
func (r *reader) checkBins(clock workloadClock, worker *selfOf, lastBin int64) error {
	var sum tally
	err := r.readBins(clock, worker.writer, func(b *bundle.Bin) error {
		if b.Index > lastBin {
			return fmt.Errorf("bin %d is later than anything that can have ended, bin %d", b.Index, lastBin)
		}
		sum.add(b)
		return nil
	})
	if err != nil {
		return err
	}
	f := worker.finish
	if sum.ended() != f.Operations || sum.succeeded != f.Succeeded || sum.neverStarted != f.NeverStarted {
		return fmt.Errorf("its bins have %d operations with %d successes and %d never started, and its summary %d with %d and %d",
			sum.ended(), sum.succeeded, sum.neverStarted, f.Operations, f.Succeeded, f.NeverStarted)
	}
	if sum.completed != sum.succeeded {
		return fmt.Errorf("its bins have %d successes by their intended time, and %d by their end", sum.succeeded, sum.completed)
	}
	if sum.intended != sum.ended()+sum.neverStarted {
		return fmt.Errorf("its bins have %d operations intended, and %d that ended or never started", sum.intended, sum.ended()+sum.neverStarted)
	}
	return nil
}

func (r *reader) readBins(clock workloadClock, w bundle.Writer, each func(*bundle.Bin) error) error {
	name := w.File(bundle.Bins)
	file, err := r.fsys.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	start, err := bundle.ReadBins(file, each)
	if err == nil && start != clock.startNanos {
		err = fmt.Errorf("counts from %d, and the workload's start is %d", start, clock.startNanos)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
