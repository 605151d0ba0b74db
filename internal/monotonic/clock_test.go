package monotonic

import (
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/monotonic/monotonictest"
)

func TestAStepOfTheWallClockMovesNothing(t *testing.T) {
	for _, step := range []time.Duration{time.Hour, -time.Hour, time.Second, 24 * time.Hour} {
		t.Run(step.String(), func(t *testing.T) {
			var machine monotonictest.Machine
			clock := New(machine.Now)
			before := clock.Now()
			machine.Set(step)
			after := clock.Now()
			// Of the wall readings alone: that is what other programs are told.
			if moved := time.Duration(after.UnixNano() - before.UnixNano()); moved < 0 || moved > time.Minute {
				t.Errorf("the clock moved by %s", moved)
			}
			if shown := machine.Now().Round(0).Sub(after.Round(0)); shown < step || shown > step+time.Minute {
				t.Errorf("the machine's clock is %s away: this tests nothing", shown)
			}
		})
	}
}
