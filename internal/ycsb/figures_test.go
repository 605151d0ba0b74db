package ycsb

import (
	"testing"
	"time"
)

func TestIntervalLogsHaveTheIntervalsOfStatusLines(t *testing.T) {
	began := time.Unix(100, 5)
	for _, c := range []struct {
		name    string
		change  func(*Command)
		start   time.Time
		seconds int64
	}{
		{"a run, from its warm-up's end", pairs("hdrhistogram.output.path=x-"), time.Unix(103, 0), 10},
		{"a load, from its begin", func(c *Command) { c.Load, c.Pairs = true, []string{"recordcount=5", "hdrhistogram.output.path=x-"} }, began, 10},
		{"an interval that is given", pairs("hdrhistogram.output.path=x-", "status.interval=2"), time.Unix(103, 0), 2},
		{"no status lines", pairs("hdrhistogram.output.path=x-", "status=false"), time.Unix(103, 0), 0},
	} {
		r := &run{Settings: settled(t, c.change), began: began, measuredFrom: 103}
		if got := r.hdrFiles(); got.Path != "x-" || !got.Start.Equal(c.start) || got.IntervalSeconds != c.seconds {
			t.Errorf("%s: %+v, want a start at %v and %d s", c.name, got, c.start, c.seconds)
		}
	}
}
