package measurements

import (
	"cmp"
	"slices"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

// Samples is what only single operations can tell, and histograms of each second can't: the latencies of each
// status, the averages of a time series, and the operations themselves.
type Samples struct {
	client *workload.Client
	open   bool
	warmup time.Duration // its operations are left out

	failures map[Latencies]*hdr.PackedHistogram
	series   map[Latencies]*series
	raw      map[Latencies]*rawLog
	err      error // the first one; nothing is taken after it
}

// needsSamples says whether the output can't be made from the histograms of each second.
func needsSamples(c *workload.Client) bool {
	return WantsRaw(c) || tracksErrors(c) || c.MeasurementType == typeSeries
}

// WantsRaw says whether every operation is printed.
func WantsRaw(c *workload.Client) bool {
	return c.MeasurementType == typeRaw || c.MeasurementType == typeHdrRaw
}

func tracksErrors(c *workload.Client) bool { return c.LatencyOfEachError || len(c.LatencyOfErrors) > 0 }

// NewSamples returns nil if the histograms of each second are enough. Open says that operations have an
// intended start. Operations that were intended before the end of the warm-up are left out.
func NewSamples(c *workload.Client, open bool, warmup time.Duration) *Samples {
	if !needsSamples(c) {
		return nil
	}
	return &Samples{
		client: c, open: open, warmup: warmup,
		failures: map[Latencies]*hdr.PackedHistogram{}, series: map[Latencies]*series{}, raw: map[Latencies]*rawLog{},
	}
}

// Take takes the operations that ended in a second. A series needs the end of the first operation before it
// takes any.
func (s *Samples) Take(in *record.Interval) {
	if s.client.MeasurementType == typeSeries {
		s.each(in, func(of Latencies, endMillis int64, _ time.Duration) error {
			s.seriesOf(of).begin(endMillis)
			return nil
		})
	}
	s.each(in, s.put)
}

// each calls f with each latency of each operation, and with the operation's end in milliseconds of Unix time.
func (s *Samples) each(in *record.Interval, f func(of Latencies, endMillis int64, latency time.Duration) error) {
	interval := s.client.MeasurementInterval
	for _, some := range in.Samples {
		for i := range some {
			one := &some[i]
			if one.Intended < s.warmup {
				continue
			}
			endMillis := (in.StartUnixNanos + int64(one.Done)) / int64(time.Millisecond)
			of := Latencies{Operation: one.Kind.String()}
			if one.Outcome != stores.OK {
				of.Status = s.statusOf(one.Code)
			}
			if s.err == nil && (!s.open || interval != workload.IntervalIntended) {
				s.err = f(of, endMillis, one.Done-one.Sent)
			}
			if s.err == nil && s.open && interval != workload.IntervalOperation {
				of.Response = true
				s.err = f(of, endMillis, one.Done-one.Intended)
			}
		}
	}
}

// statusOf is the status under which a failure with this code is printed.
func (s *Samples) statusOf(code string) string {
	if name := status(code); s.client.LatencyOfEachError || slices.Contains(s.client.LatencyOfErrors, name) {
		return name
	}
	return anyFailure
}

// put takes a latency. endMillis is when it ended, in milliseconds of Unix time.
func (s *Samples) put(of Latencies, endMillis int64, latency time.Duration) error {
	micros := latency.Microseconds()
	if of.Status != "" {
		h := s.failures[of]
		if h == nil {
			h = histogram.New()
			s.failures[of] = h
		}
		if err := h.RecordValue(min(micros, bundle.HistogramMaxMicros)); err != nil {
			return err
		}
	}
	if s.client.MeasurementType == typeSeries {
		s.seriesOf(of).add(endMillis, micros, s.client.TimeSeriesStep.Milliseconds())
	}
	if !WantsRaw(s.client) {
		return nil
	}
	return s.rawOf(of).add(endMillis, micros)
}

// seriesOf returns the series of a measurement. The first call makes it.
func (s *Samples) seriesOf(of Latencies) *series {
	to := s.series[of]
	if to == nil {
		to = &series{}
		s.series[of] = to
	}
	return to
}

// rawOf returns the log of a measurement. The first call makes it.
func (s *Samples) rawOf(of Latencies) *rawLog {
	log := s.raw[of]
	if log == nil {
		log = &rawLog{micros: map[int64]int64{}}
		s.raw[of] = log
	}
	return log
}

// TakeEnds takes the ends of the process's sessions. Its error is the first one of all that was taken. A nil
// *Samples takes nothing.
func (s *Samples) TakeEnds(of *Process) error {
	if s == nil {
		return nil
	}
	cleanup := Latencies{Operation: cleanupMetric}
	for _, end := range of.ended {
		s.seriesOf(cleanup).begin(end.atMillis)
	}
	for _, end := range of.ended {
		s.err = cmp.Or(s.err, s.put(cleanup, end.atMillis, time.Duration(end.micros)*time.Microsecond))
	}
	return s.err
}

// Close closes the files. A nil *Samples has none.
func (s *Samples) Close() (err error) {
	if s == nil {
		return nil
	}
	for _, log := range s.raw {
		err = cmp.Or(err, log.close())
	}
	return err
}
