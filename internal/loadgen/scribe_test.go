package loadgen

import (
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
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
