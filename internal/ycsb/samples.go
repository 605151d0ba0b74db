package ycsb

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

// samples is what single operations say beyond the histograms of each second: the latencies
// of each status, averages from the end of the first, and the operations themselves.
type samples struct {
	client *workload.Client
	open   bool
	warmup time.Duration // that is left out

	failures map[latencies]*hdr.PackedHistogram
	series   map[latencies]*series
	raw      map[latencies]*rawLog
	err      error // the first; nothing is taken after it
}

// needsSamples says whether the histograms of each second are too little for what is wanted.
func needsSamples(c *workload.Client) bool {
	return wantsRaw(c) || tracksErrors(c) || c.MeasurementType == typeSeries
}

func wantsRaw(c *workload.Client) bool {
	return c.MeasurementType == typeRaw || c.MeasurementType == typeHdrRaw
}

func tracksErrors(c *workload.Client) bool { return c.LatencyOfEachError || len(c.LatencyOfErrors) > 0 }

// newSamples is nil where nobody wants them.
func newSamples(c *workload.Client, open bool, warmup time.Duration) *samples {
	if !needsSamples(c) {
		return nil
	}
	return &samples{
		client: c, open: open, warmup: warmup,
		failures: map[latencies]*hdr.PackedHistogram{}, series: map[latencies]*series{}, raw: map[latencies]*rawLog{},
	}
}

// take takes a second's. The series need the end of the first operation before all others.
func (s *samples) take(in *record.Interval) {
	if s.client.MeasurementType == typeSeries {
		s.each(in, func(of latencies, endMillis int64, _ time.Duration) error {
			s.seriesOf(of).begin(endMillis)
			return nil
		})
	}
	s.each(in, s.put)
}

// each calls f with the latencies of each operation, and the end of that in Unix time, but for those
// of the warm-up.
func (s *samples) each(in *record.Interval, f func(of latencies, endMillis int64, latency time.Duration) error) {
	interval := s.client.MeasurementInterval
	for _, some := range in.Samples {
		for i := range some {
			one := &some[i]
			if one.Intended < s.warmup {
				continue
			}
			endMillis := (in.StartUnixNanos + int64(one.Done)) / int64(time.Millisecond)
			of := latencies{operation: one.Kind.String()}
			if one.Outcome != stores.OK {
				of.status = s.statusOf(one.Code)
			}
			if s.err == nil && (!s.open || interval != workload.IntervalIntended) {
				s.err = f(of, endMillis, one.Done-one.Sent)
			}
			if s.err == nil && s.open && interval != workload.IntervalOperation {
				of.response = true
				s.err = f(of, endMillis, one.Done-one.Intended)
			}
		}
	}
}

// statusOf is the status that a failure is told by.
func (s *samples) statusOf(code string) string {
	if name := status(code); s.client.LatencyOfEachError || slices.Contains(s.client.LatencyOfErrors, name) {
		return name
	}
	return anyFailure
}

// put takes a latency that ended at that time, in milliseconds of Unix time.
func (s *samples) put(of latencies, endMillis int64, latency time.Duration) error {
	micros := latency.Microseconds()
	if of.status != "" {
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
	if !wantsRaw(s.client) {
		return nil
	}
	return s.rawOf(of).add(endMillis, micros)
}

// seriesOf makes the series of a measurement when it is first asked for.
func (s *samples) seriesOf(of latencies) *series {
	to := s.series[of]
	if to == nil {
		to = &series{}
		s.series[of] = to
	}
	return to
}

// rawOf makes the log of a measurement when it is first asked for.
func (s *samples) rawOf(of latencies) *rawLog {
	log := s.raw[of]
	if log == nil {
		log = &rawLog{micros: map[int64]int64{}}
		s.raw[of] = log
	}
	return log
}

// takeEnds takes what the program says of its sessions' ends, and whether a sample was lost.
// Without samples there is nothing to take.
func (s *samples) takeEnds(of *own) error {
	if s == nil {
		return nil
	}
	cleanup := latencies{operation: cleanupMetric}
	for _, end := range of.ended {
		s.seriesOf(cleanup).begin(end.atMillis)
	}
	for _, end := range of.ended {
		s.err = cmp.Or(s.err, s.put(cleanup, end.atMillis, time.Duration(end.micros)*time.Microsecond))
	}
	return s.err
}

// close gives the files back.
func (s *samples) close() (err error) {
	if s == nil {
		return nil
	}
	for _, log := range s.raw {
		err = cmp.Or(err, log.close())
	}
	return err
}
