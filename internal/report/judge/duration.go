package judge

import (
	"fmt"
	"time"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/limits"
)

// lasted is how long a fault lasted, at least and at most.
type lasted struct{ least, most time.Duration }

func (l lasted) String() string {
	return fmt.Sprintf("%s at least and %s at most", l.least.Round(time.Millisecond), l.most.Round(time.Millisecond))
}

// durationMissed says whether a fault lasted for much longer, or for much less, than its duration. Its length is the one
// within the brackets of its injection and its end that is next to the duration.
func durationMissed(f *report.Fault) (l lasted, missed bool) {
	if !f.Lasts() || f.EndedAt == nil {
		return lasted{}, false
	}
	l = lasted{
		least: max(0, micros(int64(f.EndedAt.After.SinceStartMicros-f.InjectedAt.Before.SinceStartMicros))),
		most:  micros(int64(f.EndedAt.Before.SinceStartMicros - f.InjectedAt.After.SinceStartMicros)),
	}
	asked := micros(*f.DurationMicros)
	allowed := max(limits.DurationOffFloor, time.Duration(limits.MaxDurationOff*float64(asked)))
	return l, l.least > asked+allowed || l.most < asked-allowed
}
