package compile

import (
	"strconv"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/rate"
	"github.com/kvbench/kvbench/internal/trace"
	"github.com/kvbench/kvbench/internal/workload"
)

// compileTrace makes a workload replay its trace: with the trace's times in place of a rate,
// and to its end, unless the spec says when.
func compileTrace(i int, spec *v1alpha1.WorkloadSpec, w *plan.Workload, parsed *workload.Spec, load *loadOf, files Files) (trace.Summary, error) {
	field := traceField(i)
	switch {
	case w.Load.Rate > 0:
		return trace.Summary{}, refuse(ReasonInvalidLoad, "%s: has a time for each request: leave %s out", field, load.rateField())
	case parsed.DataIntegrity:
		return trace.Summary{}, refuse(ReasonInvalidProperty, "spec.workloads[%d].properties: nobody knows which values the records of a trace have: leave dataintegrity out", i)
	}
	stretch, err := parseStretch(spec.Trace.Stretch)
	if err != nil {
		return trace.Summary{}, refuse(ReasonInvalidWorkload, "%s.stretch: %q is no number: write one above 0, such as \"0.5\"", field, spec.Trace.Stretch)
	}
	content, called, err := files.read(field, &spec.Trace.FileSource)
	if err != nil {
		return trace.Summary{}, err
	}
	text, err := trace.Unpack(content)
	if err != nil {
		return trace.Summary{}, refuse(ReasonInvalidFile, "%s: %s: %v", field, called, err)
	}
	warmup := time.Duration(w.Load.WarmupMillis) * time.Millisecond
	whole, err := trace.Summarize(called, text, trace.Share{Workers: 1, Stretch: stretch, Warmup: warmup, Operations: w.Operations})
	if err != nil {
		return trace.Summary{}, broken(field, err)
	}
	if err := fitTrace(i, w, whole, warmup, load); err != nil {
		return trace.Summary{}, err
	}
	name := FileName(spec.Trace.ConfigMapKeyRef)
	w.Load.Arrivals, w.Load.Rate = plan.ArrivalsTrace, float64(whole.Busiest)
	w.Load.Trace = &plan.Trace{File: name, SHA256: digest(content), Rows: whole.Rows, Stretch: stretch, LastMillis: whole.LastUsed.Milliseconds()}
	return whole, boundInFlight(&w.Load, load)
}

func parseStretch(text string) (float64, error) {
	if text == "" {
		return 1, nil
	}
	return strconv.ParseFloat(text, 64)
}

// fitTrace looks whether the trace has what is to be measured, and measures all of it where
// the spec doesn't say how much.
func fitTrace(i int, w *plan.Workload, whole trace.Summary, warmup time.Duration, load *loadOf) error {
	field := traceField(i)
	duration := time.Duration(w.DurationMillis) * time.Millisecond
	switch {
	case float64(whole.Busiest) > rate.MaxRate:
		return refuse(ReasonInvalidFile, "%s: %d requests are due in one second, and at most %.0f can be: raise stretch", field, whole.Busiest, rate.MaxRate)
	case whole.Measured == 0:
		return refuse(ReasonInvalidFile, "%s: all its requests are due in the first %s, the warm-up: shorten the warm-up, %s", field, warmup, load.field("warmup", load.own.Warmup != nil))
	case w.Operations > whole.Measured:
		return refuse(ReasonInvalidWorkload, "spec.workloads[%d].operations: the trace has %d requests after the warm-up, not %d: lower operations, or leave it out to replay all of them",
			i, whole.Measured, w.Operations)
	case duration > 0 && whole.Last < warmup+duration-time.Second:
		return refuse(ReasonInvalidWorkload, "spec.workloads[%d].duration: the last request of the trace is due %s after the warm-up, more than a second before the end at %s: lower duration, or leave it out to replay the whole trace",
			i, (whole.Last - warmup).Round(time.Millisecond), duration)
	case duration == 0 && w.Operations == 0:
		w.Operations = whole.Measured
	}
	return nil
}
