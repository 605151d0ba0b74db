package export

import (
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/internal/cli/compare/text"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/read"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
	"github.com/kvbench/kvbench/internal/ycsb/measurements"
)

// measured is one workload, as YCSB's formats want it.
type measured struct {
	recording *measurements.Recording
	figures   *measurements.Figures
	client    *workload.Client
}

// measure adds up a workload's files.
func (s *source) measure(w *report.Workload) (*measured, error) {
	in := s.input.Workloads[w.Name]
	if in == nil {
		return nil, fmt.Errorf("the bundle has nothing of workload %s that was measured, and the report has: they are not of one run, or the bundle lost files", text.Clean(w.Name))
	}
	m := &measured{recording: recordingOf(s, in)}
	totals, err := m.recording.Totals()
	if err != nil {
		return nil, fmt.Errorf("reading what workload %s measured: %w", text.Clean(w.Name), err)
	}
	if err := agree(w, totals); err != nil {
		return nil, err
	}
	m.figures = figuresOf(w, totals, s.report.Valid)
	m.client, _, err = workload.ParseClient(clientOf(w))
	return m, err
}

// recordingOf takes the workers that the report is of: those whose files are complete. Its seconds are those that the
// report counts to the measurement.
func recordingOf(s *source, in *read.Measured) *measurements.Recording {
	seconds := (in.Clock.MeasuredMicros + 999_999) / 1_000_000
	r := &measurements.Recording{
		Files:        s.files,
		MeasuredFrom: int64(in.Clock.RowBegin(0)) / instant.NanosPerSecond,
		MeasuredTo:   int64(in.Clock.RowBegin(instant.Second(seconds))) / instant.NanosPerSecond,
	}
	for _, worker := range in.Workers {
		r.Writers = append(r.Writers, worker.Writer)
	}
	return r
}

// figuresOf joins what the report and the files say.
func figuresOf(w *report.Workload, totals *measurements.Totals, valid bool) *measurements.Figures {
	return &measurements.Figures{
		RuntimeMillis: w.DurationMicros / 1000,
		// The bundle tells of successes alone when they ended. The others may have ended in the cool-down.
		Operations: w.Completed,
		Open:       w.Load.Model == report.ModelOpen,
		Totals:     totals,
		Verified:   strings.EqualFold(strings.TrimSpace(w.Properties["dataintegrity"]), "true"),
		NotValid:   !valid,
		Censored:   w.ResponseTimeCensored,
		Saturated:  w.Saturated,
		Successes:  w.Failed+w.Unknown > 0,
	}
}

// clientOf is the properties of a YCSB client that prints what there is: both times where there are two.
func clientOf(w *report.Workload) map[string]string {
	properties := map[string]string{"hdrhistogram.percentiles": "50,95,99,99.9"}
	if w.Load.Model == report.ModelOpen {
		properties["measurement.interval"] = workload.IntervalBoth
	}
	return properties
}

// agree compares the counts of the report with those of the files. A difference says that they are of two runs.
func agree(w *report.Workload, totals *measurements.Totals) error {
	type count struct{ ok, failed int64 }
	reported := map[string]count{}
	for i := range w.Operations {
		o := &w.Operations[i]
		c := reported[o.Operation]
		if o.Outcome == stores.OK.String() {
			c.ok += o.Count
		} else {
			c.failed += o.Count
		}
		reported[o.Operation] = c
	}
	for kind := range stores.NumKinds {
		name := kind.String()
		files := count{failed: totals.Failed(name)}
		if h := totals.Histograms[measurements.Latencies{Operation: name}]; h != nil {
			files.ok = h.TotalCount()
		}
		if files != reported[name] {
			return fmt.Errorf("the report has %d %s that succeeded and %d that did not in workload %s, and the files of its workers %d and %d: they are not of one run, or of another version",
				reported[name].ok, name, reported[name].failed, text.Clean(w.Name), files.ok, files.failed)
		}
	}
	return nil
}
