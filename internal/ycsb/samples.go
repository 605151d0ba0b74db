package ycsb

import (
	"cmp"
	"slices"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

// samples is what single operations say beyond the histograms of each second: the latencies
// of each status, averages of less than a second, and the operations themselves.
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
	return wantsRaw(c) || tracksErrors(c) || c.MeasurementType == typeSeries && c.TimeSeriesStep%time.Second != 0
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

// take takes a second's.
func (s *samples) take(in *record.Interval) {
	for _, some := range in.Samples {
		for i := range some {
			if s.err == nil {
				s.err = s.add(in.StartUnixNanos, &some[i])
			}
		}
	}
}

// add takes one, whose instants count from the start, unless it is of the warm-up.
func (s *samples) add(startUnixNanos int64, one *record.Sample) error {
	if one.Intended < s.warmup {
		return nil
	}
	endMillis := (startUnixNanos + int64(one.Done)) / int64(time.Millisecond)
	of := latencies{operation: one.Kind.String()}
	if one.Outcome != stores.OK {
		of.status = s.statusOf(one.Code)
	}
	interval := s.client.MeasurementInterval
	if !s.open || interval != workload.IntervalIntended {
		if err := s.put(of, one.Done, endMillis, one.Done-one.Sent); err != nil {
			return err
		}
	}
	if !s.open || interval == workload.IntervalOperation {
		return nil
	}
	of.response = true
	return s.put(of, one.Done, endMillis, one.Done-one.Intended)
}

// statusOf is the status that a failure is told by.
func (s *samples) statusOf(code string) string {
	if name := status(code); s.client.LatencyOfEachError || slices.Contains(s.client.LatencyOfErrors, name) {
		return name
	}
	return anyFailure
}

// put takes a latency that ended at an instant, which in Unix time is endMillis.
func (s *samples) put(of latencies, end time.Duration, endMillis int64, latency time.Duration) error {
	micros := latency.Microseconds()
	if of.status != "" {
		h := s.failures[of]
		if h == nil {
			h = newHistogram()
			s.failures[of] = h
		}
		if err := h.RecordValue(min(micros, bundle.HistogramMaxMicros)); err != nil {
			return err
		}
	}
	if s.client.MeasurementType == typeSeries {
		to := s.series[of]
		if to == nil {
			to = &series{}
			s.series[of] = to
		}
		to.add(int((end-s.warmup)/s.client.TimeSeriesStep), float64(micros), 1)
	}
	if !wantsRaw(s.client) {
		return nil
	}
	return s.rawOf(of).add(endMillis, micros)
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
	if wantsRaw(s.client) {
		log := s.rawOf(latencies{operation: cleanupMetric})
		for _, end := range of.ended {
			s.err = cmp.Or(s.err, log.add(end.atMillis, end.micros))
		}
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
