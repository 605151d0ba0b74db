package telemetry

import (
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/instant"
)

// A worker may see errors in each second of a day.
func TestWhenErrorsWereSeenTakesLittleMemory(t *testing.T) {
	const seconds, codes = 86_400, 4
	w := &Worker{}
	for second := range int64(seconds) {
		line := &bundle.SelfLine{AtUnixNanos: second * instant.NanosPerSecond}
		for code := range codes {
			line.Errors = append(line.Errors, bundle.ErrorSeen{Operation: "READ", Outcome: "failed", Code: string(rune('a' + code)), Count: 1})
		}
		w.Add(line)
		if len(w.seen) > maxErrorsSeen {
			t.Fatalf("%d are kept", len(w.seen))
		}
	}
	sums, last := map[string]int64{}, instant.Unix(0)
	w.EachError(func(at instant.Unix, _, _, code string, count int64) {
		sums[code] += count
		last = max(last, at)
	})
	if len(sums) != codes || sums["a"] != seconds || sums["d"] != seconds || last != (seconds-1)*instant.NanosPerSecond {
		t.Errorf("%v until %d", sums, last)
	}
}
