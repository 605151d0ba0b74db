package status

import (
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/plan"
)

func TestProgressInWords(t *testing.T) {
	for _, c := range []struct {
		name     string
		duration time.Duration // 0: it ends after so many operations
		elapsed  time.Duration
		want     string
	}{
		{"warm-up", time.Minute, -time.Second, "warm-up"},
		{"its last second", time.Minute, -time.Millisecond, "warm-up"},
		{"the beginning", time.Minute, 0, "0%"},
		{"in steps of 5 s", time.Minute, 34 * time.Second, "50%"},
		{"the cool-down", time.Minute, 64 * time.Second, "100%"},
		{"a day", 24 * time.Hour, 12 * time.Hour, "50%"},
		{"warm-up before so many operations", 0, -time.Second, "warm-up"},
		{"so many operations", 0, 59 * time.Second, "<1m"},
		{"minutes of them", 0, 125 * time.Second, "2m"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := HowFar(ProgressAt(&plan.Workload{Name: "a", DurationMillis: c.duration.Milliseconds()}, c.elapsed)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
