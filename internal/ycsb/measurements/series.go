package measurements

import (
	"math"
	"strconv"
)

// series is a measurement of measurementtype=timeseries. It has the averages of latencies in microseconds, by
// steps of time. As in YCSB, the first step begins when the first operation ends.
type series struct {
	beginMillis int64 // Unix time
	all         sum
	least, most int64
	steps       []sum
}

type sum struct{ micros, count int64 }

func (s *sum) add(micros int64) { s.micros, s.count = s.micros+micros, s.count+1 }

// average is NaN if there is nothing to average.
func (s *sum) average() float64 {
	if s.count == 0 {
		return math.NaN()
	}
	return float64(s.micros) / float64(s.count)
}

// begin takes the end of an operation that will be added later, so that the first end is known.
func (s *series) begin(endMillis int64) {
	if s.all.count == 0 && (s.beginMillis == 0 || endMillis < s.beginMillis) {
		s.beginMillis = endMillis
	}
}

// add adds an operation's latency. endMillis is when the operation ended, in milliseconds of Unix time.
func (s *series) add(endMillis, micros, stepMillis int64) {
	if s.all.count == 0 || micros < s.least {
		s.least = micros
	}
	s.most = max(s.most, micros)
	s.all.add(micros)
	step := int(max(0, endMillis-s.beginMillis) / stepMillis)
	for step >= len(s.steps) {
		s.steps = append(s.steps, sum{})
	}
	s.steps[step].add(micros)
}

// entries are the lines of YCSB's OneMeasurementTimeSeries, which has no percentiles. If nothing succeeded,
// there are the statuses and the first step.
func (s *series) entries(metric string, stepMillis int64, codes []entry) []entry {
	least, most, steps := s.least, s.most, s.steps
	if s.all.count == 0 {
		least, most, steps = -1, -1, make([]sum, 1)
	}
	list := []entry{
		{metric, "Operations", s.all.count},
		{metric, "AverageLatency(us)", s.all.average()},
		{metric, "MinLatency(us)", least},
		{metric, "MaxLatency(us)", most},
	}
	list = append(list, named(metric, codes)...)
	for i, step := range steps {
		if step.count > 0 || s.all.count == 0 {
			list = append(list, entry{metric, strconv.FormatInt(int64(i)*stepMillis, 10), step.average()})
		}
	}
	return list
}
