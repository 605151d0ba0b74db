package servertime

import (
	"testing"
	"time"

	"github.com/kvbench/kvbench/controllers/run/state/statetest"
)

func TestAStepOfTheResultsServersClockIsSeen(t *testing.T) {
	for _, c := range []struct {
		name         string
		moved, bound time.Duration
		away         time.Duration // between the two estimates
		step         time.Duration
		off          time.Duration
	}{
		{"nothing", 0, time.Millisecond, time.Minute, 0, 0},
		{"a drift", 3 * time.Millisecond, time.Millisecond, time.Minute, 0, 0},
		{"a drift while the server was away", 800 * time.Millisecond, time.Millisecond, 5 * time.Hour, 0, 0},
		{"noise", 1500 * time.Millisecond, 1500 * time.Millisecond, time.Minute, 0, 0},
		{"a machine that stood still for a moment", 400 * time.Millisecond, 2 * time.Millisecond, time.Minute, 0, 402 * time.Millisecond},
		{"an hour ahead", time.Hour, time.Millisecond, time.Minute, time.Hour, time.Hour + time.Millisecond},
		{"an hour back", -time.Hour, time.Millisecond, time.Minute, -time.Hour, time.Hour + time.Millisecond},
		{"a machine that stood still for three seconds", 3 * time.Second, time.Millisecond, time.Minute, 3 * time.Second, 3001 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen := &statetest.Clocks{Local: statetest.Epoch, Offset: time.Minute, Bound: time.Millisecond}
			s := &Clock{LocalNow: func() time.Time { return seen.Local }}
			statetest.Must(t, s.Ask(t.Context(), seen))
			seen.Local = statetest.Epoch.Add(c.away)
			seen.Offset, seen.Bound = seen.Offset+c.moved, c.bound
			statetest.Must(t, s.Ask(t.Context(), seen))
			if got := s.Stepped(); got != c.step {
				t.Errorf("stepped by %s, want %s", got, c.step)
			}
			if got := s.Off(); got != c.off {
				t.Errorf("off by %s, want %s", got, c.off)
			}
			// The newest estimate counts in any case.
			if got, _, err := s.Now(seen); err != nil || !got.Equal(seen.Local.Add(seen.Offset)) {
				t.Errorf("the server's time is %s (%v), want %s", got, err, seen.Local.Add(seen.Offset))
			}
			s.Begin()
			if step, off := s.Stepped(), s.Off(); step != 0 || off != 0 {
				t.Errorf("the next measurement begins with a step of %s, and off by %s", step, off)
			}
			seen.Local, seen.Offset = seen.Local.Add(24*time.Hour), 5*time.Minute
			statetest.Must(t, s.Ask(t.Context(), seen))
			if got := s.Stepped(); got != 0 {
				t.Errorf("a step of %s before the measurement counts against it", got)
			}
		})
	}
}
