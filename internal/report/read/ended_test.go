package read

import (
	"math"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/telemetry"
)

// A measurement of ten seconds, after a warm-up of five, whose workers were told at these seconds after
// the start that there is no more room.
func TestAMeasurementIsCutAtTheLastSecondThatAllWorkersHave(t *testing.T) {
	const start = 1_700_000_000_000_000_000
	w := &plan.Workload{DurationMillis: 10_000, Load: plan.Load{WarmupMillis: 5_000, CooldownMillis: 2_000}}
	at := func(seconds float64) int64 { return start + int64(seconds*1e9) }
	for _, c := range []struct {
		what     string
		cuts     []int64 // 0: not
		measured float64 // seconds
		lacks    string
	}{
		{"none", []int64{0, 0}, 10, ""},
		{"one worker", []int64{0, at(9.7)}, 4, "4 of 10 s were measured"},
		{"both, at different times", []int64{at(11.2), at(9.7)}, 4, "4 of 10 s were measured"},
		{"at the end of a second", []int64{at(9)}, 4, "4 of 10 s were measured"},
		{"in the warm-up", []int64{at(3)}, 0, "0 of 10 s were measured"},
		{"in the cool-down", []int64{at(15.5)}, 10, ""},
		{"long after", []int64{math.MaxInt64}, 10, ""},
		{"long before", []int64{1}, 0, "0 of 10 s were measured"},
	} {
		var workers []*telemetry.Worker
		for _, cut := range c.cuts {
			workers = append(workers, &telemetry.Worker{Finish: &bundle.Finish{EndedUnixNanos: at(17), CutUnixNanos: cut}})
		}
		ended := instant.Unix(at(17))
		if cut := endedEarly(w, start, workers); cut != 0 {
			ended = cut
		}
		measured := instant.NewClock(w, start, ended).MeasuredMicros
		if measured != int64(c.measured*1e6) || missing(w, measured) != c.lacks {
			t.Errorf("%s: %d µs, %q, want %g s, %q", c.what, measured, missing(w, measured), c.measured, c.lacks)
		}
	}
	w.DurationMillis, w.Operations = 0, 1000
	if text := missing(w, 3_000_000); !strings.Contains(text, "3 s were measured, and not all of the 1000 operations") {
		t.Errorf("%q", text)
	}
}
