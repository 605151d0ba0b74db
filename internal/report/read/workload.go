package read

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/hlog"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/latency"
	"github.com/kvbench/kvbench/internal/report/telemetry"
	"github.com/kvbench/kvbench/internal/report/timeline"
)

// readWorkload merges the files of a workload's workers. A worker whose files are not complete contributes nothing: half
// of it would distort what the others measured.
func (r *reader) readWorkload(w *plan.Workload) {
	start := r.start(w.Name)
	if start == nil {
		return
	}
	workers, ended := r.readTelemetry(w)
	early := endedEarly(w, *start, workers)
	if early > 0 {
		ended = early
	}
	clock := instant.NewClock(w, *start, ended)
	if lacks := missing(w, clock.MeasuredMicros); early > 0 && lacks != "" {
		r.problem(report.ResultsFull, w.Name, "the results server had no room for more: %s", lacks)
	}
	injections := injectionsOf(r.in, w, clock)
	m := &Measured{
		Clock:     clock,
		Timeline:  timeline.New(clock, timeline.DetailAround(injections)),
		Latencies: latency.New(clock, w.Load.Rate > 0),
	}
	r.in.Workloads[w.Name] = m
	for _, worker := range workers {
		if err := r.readWorker(m, worker, lastBin(clock, w)); err != nil {
			r.problem(report.FileCorrupt, w.Name, "worker %d: %v", worker.Writer.Index, err)
			continue
		}
		m.Workers = append(m.Workers, worker)
	}
	if err := r.mergeSeconds(m, injections); err != nil {
		r.problem(report.FileCorrupt, w.Name, "%v", err)
	}
}

// readTelemetry reads what the workers whose files are complete said of themselves, and when the last of them ended.
func (r *reader) readTelemetry(w *plan.Workload) (workers []*telemetry.Worker, ended instant.Unix) {
	for index := range w.Load.Workers {
		writer, ok := r.worker(w.Name, index)
		if !ok {
			r.problem(report.WorkerLost, w.Name, "worker %d never claimed its index", index)
			continue
		}
		if err := r.checkComplete(writer, bundle.Hlog, bundle.Bins, bundle.Jsonl); err != nil {
			r.problem(reasonOfIncomplete(err), w.Name, "worker %d: %v", index, err)
			continue
		}
		worker, err := readWriter(r.fsys, writer)
		if err != nil {
			r.problem(report.FileCorrupt, w.Name, "worker %d: %v", index, err)
			continue
		}
		if worker.Finish == nil {
			r.problem(report.NoFinish, w.Name, "worker %d: %s ends without its summary", index, writer.File(bundle.Jsonl))
			continue
		}
		if worker.Finish.Dropped != 0 {
			r.problem(report.ValuesDropped, w.Name, "worker %d: its histograms could not take %d values", index, worker.Finish.Dropped)
		}
		ended = max(ended, instant.Unix(worker.Finish.EndedUnixNanos))
		workers = append(workers, worker)
	}
	return workers, ended
}

var errMissing = errors.New("is missing")

func reasonOfIncomplete(err error) string {
	if errors.Is(err, errMissing) {
		return report.WorkerLost
	}
	return report.FileIncomplete
}

// checkComplete says what is wrong with the first of a writer's files that isn't complete.
func (r *reader) checkComplete(w bundle.Writer, kinds ...string) error {
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
func (r *reader) readWorker(m *Measured, worker *telemetry.Worker, lastBin instant.Bin) error {
	own := latency.New(m.Clock, m.Latencies.OfResponses)
	name := worker.Writer.File(bundle.Hlog)
	file, err := r.fsys.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := hlog.Read(file, own.Add); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := r.checkBins(m.Clock, worker, lastBin); err != nil {
		return err
	}
	if err := r.readBins(m.Clock, worker.Writer, m.Timeline.Add); err != nil {
		return err
	}
	worker.Sends = instant.BySecond[latency.Sends]{First: own.Sends.First, Values: instant.Tight(own.Sends.Values)}
	return m.Latencies.Absorb(own)
}

// checkBins compares a worker's bins with its summary.
func (r *reader) checkBins(clock instant.Clock, worker *telemetry.Worker, lastBin instant.Bin) error {
	var sum timeline.Tally
	err := r.readBins(clock, worker.Writer, func(b *bundle.Bin) error {
		if instant.Bin(b.Index) > lastBin {
			return fmt.Errorf("bin %d is later than anything that can have ended, bin %d", b.Index, lastBin)
		}
		sum.Add(b)
		return nil
	})
	if err != nil {
		return err
	}
	f := worker.Finish
	if sum.Ended() != f.Operations || sum.Succeeded != f.Succeeded || sum.NeverStarted != f.NeverStarted {
		return fmt.Errorf("its bins have %d operations with %d successes and %d never started, and its summary %d with %d and %d",
			sum.Ended(), sum.Succeeded, sum.NeverStarted, f.Operations, f.Succeeded, f.NeverStarted)
	}
	if sum.Completed != sum.Succeeded {
		return fmt.Errorf("its bins have %d successes by their intended time, and %d by their end", sum.Succeeded, sum.Completed)
	}
	if sum.Intended != sum.Ended()+sum.NeverStarted {
		return fmt.Errorf("its bins have %d operations intended, and %d that ended or never started", sum.Intended, sum.Ended()+sum.NeverStarted)
	}
	return nil
}

func (r *reader) readBins(clock instant.Clock, w bundle.Writer, each func(*bundle.Bin) error) error {
	name := w.File(bundle.Bins)
	file, err := r.fsys.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	start, err := bundle.ReadBins(file, each)
	if err == nil && instant.Unix(start) != clock.Start {
		err = fmt.Errorf("counts from %d, and the workload's start is %d", start, clock.Start)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// readWriter reads a worker's or loader's .jsonl.
func readWriter(fsys fs.FS, w bundle.Writer) (*telemetry.Worker, error) {
	s := &telemetry.Worker{Writer: w}
	err := readLinesOf(fsys, w.File(bundle.Jsonl), maxLines, false, func(l *bundle.SelfLine) error {
		if err := telemetry.Check(l); err != nil {
			return err
		}
		s.Add(l)
		return nil
	})
	s.Seconds = instant.Tight(s.Seconds)
	return s, err
}

// lastBin bounds the bins of a workload: what was intended in its record has ended by then.
// An operation has two deadlines at most, and the generator waits a little for drivers.
func lastBin(c instant.Clock, w *plan.Workload) instant.Bin {
	const grace = 60_000_000 // µs
	return min(c.Recorded.Plus(2*w.Load.OperationTimeoutMillis*1000+grace).Bin(), bundle.MaxBinIndex)
}

// mergeSeconds reads the logs of all workers side by side.
func (r *reader) mergeSeconds(m *Measured, injections []instant.FromStart) error {
	var logs []hlog.Log
	for _, worker := range m.Workers {
		name := worker.Writer.File(bundle.Hlog)
		file, err := r.fsys.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		logs = append(logs, hlog.Log{Name: name, Content: file})
	}
	return m.Latencies.MergeSeconds(logs, injections)
}
