package judge

import "github.com/kvbench/kvbench/internal/report/telemetry"

// busy is in how many seconds of a worker most of its operations waited for the store.
type busy struct{ seconds, of int64 }

func (b *busy) add(n int64, s *telemetry.Second) {
	b.of += n
	if 2*s.Waited() > int64(s.Sent) && capacityOf(s) == toSpare {
		b.seconds += n
	}
}

// saturated says whether that was the store's usual state, or for longer than it takes to get over a pause.
func (b *busy) saturated() bool {
	return b.seconds > 0 && b.seconds == b.of || exceptions(b.of) < b.seconds
}
