package judge

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/report/hlog"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/latency"
	"github.com/kvbench/kvbench/internal/report/read"
	"github.com/kvbench/kvbench/internal/report/telemetry"
)

const nanosPerMilli = 1_000_000

// A schedule is what one worker was to send, and how late it did: all of it within a few
// milliseconds. Instants are in nanoseconds from the workload's start.
type schedule struct {
	startNanos int64
	load       plan.Load
	operations int64 // bounds the measurement, in place of the duration
	seconds    int64
	at         []int64
	late       func() int64
}

// randomSchedule is on whole seconds, on tenths, on milliseconds, or anywhere; it begins on a
// second of the clock or between two; and it is a trace, a constant rate, or ends after a number
// of operations.
func randomSchedule(random *rand.Rand) schedule {
	s := schedule{startNanos: 1_800_000_000 * instant.NanosPerSecond, seconds: 1 + random.Int64N(5)}
	if random.IntN(3) > 0 {
		s.startNanos += random.Int64N(instant.NanosPerSecond)
	}
	grid := []int64{instant.NanosPerSecond, instant.NanosPerSecond / 10, nanosPerMilli, 1}[random.IntN(4)]
	s.load = plan.Load{Workers: 1, Rate: 1, Arrivals: plan.ArrivalsTrace, Trace: &plan.Trace{Rows: 1}}
	if random.IntN(3) == 0 {
		each := max(grid, nanosPerMilli)
		s.load = plan.Load{Workers: 1, Rate: instant.NanosPerSecond / float64(each), Arrivals: plan.ArrivalsConstant}
		for at := int64(0); at < s.seconds*instant.NanosPerSecond; at += each {
			s.at = append(s.at, at)
		}
	} else {
		for range 1 + random.IntN(300) {
			s.at = append(s.at, random.Int64N(s.seconds*instant.NanosPerSecond)/grid*grid)
		}
		slices.Sort(s.at)
	}
	if random.IntN(3) == 0 {
		s.operations = int64(len(s.at))
	}
	most := []int64{1000, 100_000, 2_200_000, 9 * nanosPerMilli}[random.IntN(4)]
	s.late = func() int64 { return random.Int64N(most) }
	return s
}

func unixSecond(nanos int64) int64 {
	return int64(instant.Unix(nanos).FullSecond()) / instant.NanosPerSecond
}

// measured is what the worker writes of it: rows by the second in which operations were intended,
// and lines by the second in which it did something.
func (s *schedule) measured(t *testing.T) (*read.Measured, *plan.Workload) {
	w := &plan.Workload{Name: "a", Load: s.load, Operations: s.operations}
	if s.operations == 0 {
		w.DurationMillis = s.seconds * 1000
	}
	ended := s.startNanos + s.seconds*instant.NanosPerSecond + 20*nanosPerMilli
	clock := instant.NewClock(w, instant.Unix(s.startNanos), instant.Unix(ended))
	lags, intended, sent := map[int64]map[int64]int64{}, map[int64]int64{}, map[int64]int64{}
	for _, at := range s.at {
		paced := s.startNanos + at + s.late()/2
		done := paced + s.late()/2
		intended[unixSecond(paced)]++
		sent[unixSecond(done)]++
		row := unixSecond(s.startNanos + at)
		if lags[row] == nil {
			lags[row] = map[int64]int64{}
		}
		lags[row][(done-s.startNanos-at)/instant.NanosPerMicro]++
	}
	own := latency.New(clock, true)
	for row, counts := range lags {
		h := histogram.New()
		for lag, n := range counts {
			if err := h.RecordValues(lag, n); err != nil {
				t.Fatal(err)
			}
		}
		if err := own.Add(hlog.Row{Lag: true, At: instant.Unix(row * instant.NanosPerSecond)}, h); err != nil {
			t.Fatal(err)
		}
	}
	worker := &telemetry.Worker{}
	for begin := s.startNanos; begin < ended; {
		end := min((unixSecond(begin)+1)*instant.NanosPerSecond, ended)
		worker.Add(&bundle.SelfLine{AtUnixNanos: end, Second: &bundle.SelfSecond{
			LengthMicros: max(1, (end-begin)/instant.NanosPerMicro), Intended: intended[unixSecond(begin)], Sent: sent[unixSecond(begin)],
		}})
		begin = end
	}
	worker.Finish = &bundle.Finish{EndedUnixNanos: ended, LastIntendedUnixNanos: s.startNanos + s.at[len(s.at)-1]}
	worker.Sends = own.Sends
	return &read.Measured{Clock: clock, Workers: []*telemetry.Worker{worker}, Latencies: own}, w
}

// All of it was sent within 9 ms of its time, so nothing is missing, wherever seconds end.
func TestTheEndsOfSecondsTakeNoOperationFromARate(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	judged := 0
	for i := range 1000 {
		s := randomSchedule(random)
		m, w := s.measured(t)
		o := NewGenerator(m, w, nil)
		var said []string
		judgeRate(o, w, func(reason string, _ []instant.Second, format string, args ...any) {
			said = append(said, reason+": "+fmt.Sprintf(format, args...))
		})
		if said != nil {
			t.Errorf("schedule %d, from %v on, %d operations of %+v: %s", i, time.Unix(0, s.startNanos).UTC(), len(s.at), s.load, strings.Join(said, "; "))
		}
		_, intended, sent, ok := o.rates.each(1)
		if intended != sent {
			t.Errorf("schedule %d: %.3f intended and %.3f sent", i, intended, sent)
		}
		if ok {
			judged++
		}
	}
	if judged < 900 {
		t.Errorf("%d of 1000 schedules were judged: this tests little", judged)
	}
}
