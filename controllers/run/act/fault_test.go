package act

import (
	"testing"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/faults"
)

func TestABracketBeginsWhenTheObjectWasAskedFor(t *testing.T) {
	at := func(seconds int64) int64 { return time.Unix(seconds, 0).UnixNano() }
	for name, c := range map[string]struct {
		object       faults.State
		after, bound int64
	}{
		"the object tells":               {faults.State{AskedAfter: time.Unix(12, 0), ClockBound: 2}, at(12), 3},
		"with a wider bound":             {faults.State{AskedAfter: time.Unix(12, 0), ClockBound: 5}, at(12), 5},
		"it doesn't tell":                {faults.State{}, at(10), 3},
		"it tells a time before all":     {faults.State{AskedAfter: time.Unix(9, 0), ClockBound: 5}, at(10), 3},
		"it tells a time after all":      {faults.State{AskedAfter: time.Unix(16, 0), ClockBound: 5}, at(10), 3},
		"it tells the end of what is so": {faults.State{AskedAfter: time.Unix(15, 0), ClockBound: 1}, at(15), 3},
	} {
		t.Run(name, func(t *testing.T) {
			noted := &v1alpha1.FaultStatus{InjectedAfterUnixNanos: at(10), InjectedBeforeUnixNanos: at(15), ClockBoundNanos: 3}
			narrow(noted, c.object)
			if noted.InjectedAfterUnixNanos != c.after || noted.ClockBoundNanos != c.bound || noted.InjectedBeforeUnixNanos != at(15) {
				t.Errorf("%+v, want after %d, bound %d", noted, c.after, c.bound)
			}
		})
	}
}
