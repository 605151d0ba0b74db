package loadgen

import (
	"io"
	"math"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores/scripted"
)

// A worker waits some seconds for its start. None of them is the measurement's.
func TestSecondsBeginWithTheMeasurement(t *testing.T) {
	t.Parallel()
	j, server, _ := job(t, scripted.Script{ServiceTime: time.Millisecond}, preset(t, "C"), plan.Load{Threads: 1})
	j.Workload.DurationMillis = 1200
	server.notice = 1500 * time.Millisecond // a full second of the clock lies in it
	var start time.Time
	begun := server.begun
	server.begun = func(at time.Time) { begun(at); start = at }
	if err := j.Measure(t.Context()); err != nil {
		t.Fatal(err)
	}
	begin, sum := start.Add(server.offset).UnixNano(), int64(0)
	for _, line := range server.read(t, j.writer(bundle.RoleWorker)).lines {
		if line.Second == nil {
			continue
		}
		length := line.Second.LengthMicros
		from := time.Duration(line.AtUnixNanos - length*1000 - begin)
		if length <= 0 || from < -50*time.Millisecond {
			t.Errorf("a second of %d µs begins %v after the start", length, from)
		}
		sum += length
	}
	if sum < 1_200_000 {
		t.Errorf("the seconds are %d µs long together, shorter than the measurement", sum)
	}
}

// On a busy machine a few operations are over before the goroutine that writes them down
// hears of the begin.
func TestWhatEndedBeforeTheBeginWasHeardOfIsWritten(t *testing.T) {
	begin := time.Unix(1000, 0)
	for _, c := range []struct {
		end  time.Time // of the work
		want int64
	}{{begin.Add(time.Millisecond), 1}, {begin.Add(-time.Minute), 0}} {
		now := begin.Add(-time.Hour)
		clock := NewClock(func() time.Time { defer func() { now = c.end }(); return now })
		now = begin.Add(-time.Hour) // as the scribe sees it when it begins to wait
		log, err := record.NewLog(io.Discard, io.Discard, begin.UnixNano())
		if err != nil {
			t.Fatal(err)
		}
		s := &scribe{
			clock: clock, set: record.NewSet(1, begin.UnixNano(), false), log: log, written: begin,
			lines: &lines{to: io.Discard, clock: clock}, errors: newErrorCounts(), lost: newSelf(nil, math.MaxInt64).since, pulse: &pulse{},
			metrics: NewMetrics("scripted", "a"), peak: func() int { return 1 },
		}
		if c.want > 0 {
			s.set.Recorder(0).Finish(&record.Sample{Done: time.Millisecond})
		}
		stop := make(chan struct{})
		close(stop)
		if err := s.run(stop); err != nil || s.totals.Operations != c.want {
			t.Errorf("%d operations written, %v; want %d", s.totals.Operations, err, c.want)
		}
	}
}
