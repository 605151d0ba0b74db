package ycsb

import (
	"fmt"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/compute"
	"github.com/kvbench/kvbench/internal/ycsb/measurements"
)

// figures is all that is known of a run when it is over.
type figures struct {
	*measurements.Figures
	report *report.Report // nil if the worker did not get to its end
}

// figures reads the run's files.
func (r *run) figures() (*figures, error) {
	w := r.workload()
	totals, err := r.recording().Totals()
	if err != nil {
		return nil, fmt.Errorf("read what was measured: %w", err)
	}
	f := &figures{Figures: &measurements.Figures{
		Open: w.Load.Rate > 0, Totals: totals, Process: r.process, Verified: r.spec.DataIntegrity && !r.Load, Samples: r.samples,
	}}
	if err := r.samples.TakeEnds(r.process); err != nil {
		return nil, err
	}
	elapsed := r.ended.Sub(r.began)
	if totals.Finish != nil {
		elapsed = time.Duration(totals.Finish.EndedUnixNanos - totals.Finish.StartedUnixNanos)
	}
	f.RuntimeMillis = max(0, elapsed-r.Warmup).Milliseconds()
	f.Operations = totals.CountOperations()
	if totals.Finish == nil {
		return f, nil
	}
	f.report, err = compute.FromBundle(r.files())
	if err == nil && !r.Load {
		w := &f.report.Workloads[0]
		f.Operations = w.Succeeded + w.Failed + w.Unknown
	}
	return f, err
}

// recording is the files of the run's one worker.
func (r *run) recording() *measurements.Recording {
	return &measurements.Recording{Files: r.files(), Writers: []bundle.Writer{r.writer()}, MeasuredFrom: r.measuredFrom}
}

// hdrFiles says how the interval logs of hdrhistogram.fileoutput are written. Their rows are the intervals of
// the status lines, if there are any.
func (r *run) hdrFiles() *measurements.HdrFiles {
	files := &measurements.HdrFiles{Path: r.client.HdrPath, Start: r.began}
	if !r.Load {
		files.Start = time.Unix(r.measuredFrom, 0)
	}
	if r.status {
		files.IntervalSeconds = max(1, int64(r.client.StatusInterval.Round(time.Second)/time.Second))
	}
	return files
}
