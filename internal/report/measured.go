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
	m := &Measured{clock: newWorkloadClock(w, *start, ended), timeline: newTimeline()}
	m.latencies = newLatencies(m.clock, w.Load.Rate > 0)
	r.in.Workloads[w.Name] = m
	for _, worker := range workers {
		if err := r.readWorker(m, worker); err != nil {
			r.problem(FileCorrupt, w.Name, "worker %d: %v", worker.writer.Index, err)
			continue
		}
		m.workers = append(m.workers, workerLines{index: worker.writer.Index, lines: worker.lines})
	}
}

// selfOf is what a worker says of itself.
type selfOf struct {
	writer bundle.Writer
	lines  []bundle.SelfLine
	finish *bundle.Finish
}

// readSelf reads what the workers say of themselves, of those whose files are whole, and
// when the last of them ended.
func (r *reader) readSelf(w *plan.Workload) (workers []selfOf, endedNanos int64) {
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
		lines, finish, err := r.selfLines(writer)
		if err != nil {
			r.problem(FileCorrupt, w.Name, "worker %d: %v", index, err)
			continue
		}
		if finish == nil {
			r.problem(NoFinish, w.Name, "worker %d: %s ends without its summary", index, writer.File(bundle.Jsonl))
			continue
		}
		if finish.Dropped != 0 {
			r.problem(ValuesDropped, w.Name, "worker %d: its histograms could not take %d values", index, finish.Dropped)
		}
		endedNanos = max(endedNanos, finish.EndedUnixNanos)
		workers = append(workers, selfOf{writer, lines, finish})
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

// selfLines reads a worker's or loader's .jsonl; finish is nil if it doesn't end with it.
func (r *reader) selfLines(w bundle.Writer) (lines []bundle.SelfLine, finish *bundle.Finish, err error) {
	err = readLinesOf(r.fsys, w.File(bundle.Jsonl), false, func(l bundle.SelfLine) error {
		lines = append(lines, l)
		finish = l.Finish
		return checkSelf(&l)
	})
	return lines, finish, err
}

// readWorker adds a worker's interval log and bins to the workload's, or nothing of them.
func (r *reader) readWorker(m *Measured, worker selfOf) error {
	w := worker.writer
	own := &Measured{clock: m.clock, timeline: newTimeline(), latencies: newLatencies(m.clock, m.latencies.ofResponses)}
	if err := r.addLog(own, w); err != nil {
		return err
	}
	if err := r.addBins(own, w); err != nil {
		return err
	}
	sum, f := own.timeline.total(), worker.finish
	if sum.ended() != f.Operations || sum.succeeded != f.Succeeded || sum.neverStarted != f.NeverStarted {
		return fmt.Errorf("its bins have %d operations with %d successes and %d never started, and its summary %d with %d and %d",
			sum.ended(), sum.succeeded, sum.neverStarted, f.Operations, f.Succeeded, f.NeverStarted)
	}
	if sum.intended != sum.ended()+sum.neverStarted {
		return fmt.Errorf("its bins have %d operations intended, and %d that ended or never started", sum.intended, sum.ended()+sum.neverStarted)
	}
	m.timeline.absorb(own.timeline)
	return m.latencies.absorb(own.latencies)
}

func (r *reader) addLog(m *Measured, w bundle.Writer) error {
	file, err := r.fsys.Open(w.File(bundle.Hlog))
	if err != nil {
		return err
	}
	defer file.Close()
	if err := readLog(file, m.latencies.add); err != nil {
		return fmt.Errorf("%s: %w", w.File(bundle.Hlog), err)
	}
	return nil
}

func (r *reader) addBins(m *Measured, w bundle.Writer) error {
	file, err := r.fsys.Open(w.File(bundle.Bins))
	if err != nil {
		return err
	}
	defer file.Close()
	start, err := bundle.ReadBins(file, func(b *bundle.Bin) error {
		m.timeline.add(b)
		return nil
	})
	if err == nil && start != m.clock.startNanos {
		err = fmt.Errorf("counts from %d, and the workload's start is %d", start, m.clock.startNanos)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", w.File(bundle.Bins), err)
	}
	return nil
}
