package judge

import "github.com/kvbench/kvbench/internal/report/telemetry"

// busy counts the seconds of a worker, and those in which most of its operations waited for the store.
type busy struct{ seconds, of int64 }

func (b *busy) add(n int64, s *telemetry.Second) {
	b.of += n
	if 2*s.Waited() > int64(s.Sent) && capacityOf(s) == toSpare {
		b.seconds += n
	}
}

// saturated says whether the store was busy all the time, or in more seconds than a pause explains.
func (b *busy) saturated() bool {
	return b.seconds > 0 && b.seconds == b.of || exceptions(b.of) < b.seconds
}
