package usage

import (
	"testing"

	"github.com/kvbench/kvbench/internal/report/instant"
)

// Of each step the last sample is told, and it stands for all of the time since the one before.
func TestACourseHasOnePointOfEachStep(t *testing.T) {
	var u Samples
	at := func(second float64) int64 { return int64(second * instant.NanosPerSecond) }
	for _, s := range []struct {
		second, cpuMicros int64
		process           uint64
	}{{0, 0, 1}, {2, 2_000_000, 1}, {4, 2_000_000, 1}, {12, 6_000_000, 1}, {14, 100, 2}, {22, 4_000_100, 2}, {24, 4_000_100, 2}} {
		one := newSample(at(float64(s.second)))
		one.cpuMicros, one.process = s.cpuMicros, s.process
		if err := u.add("m", one); err != nil {
			t.Fatal(err)
		}
	}
	points := u.Course("m", 0, instant.Unix(at(100)), func(i instant.Unix) int { return int(i / (10 * instant.NanosPerSecond)) })
	if len(points) != 3 || points[0].At != instant.Unix(at(4)) || points[0].Cores != nil {
		t.Fatalf("%+v", points)
	}
	if points[1].Cores != nil {
		t.Errorf("another process began, and its cores are %v", *points[1].Cores)
	}
	if points[2].Cores == nil || *points[2].Cores != 0.4 {
		t.Errorf("the cores of the last step are %v, want 0.4", points[2].Cores)
	}
}
