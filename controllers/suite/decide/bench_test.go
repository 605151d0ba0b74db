package decide

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/internal/suite"
)

// BenchmarkDecideOfAThousandRuns is what each pass of a suite of 1,000 finished runs decides by.
func BenchmarkDecideOfAThousandRuns(b *testing.B) {
	s := of(map[string]Run{})
	s.Combinations = make([]suite.Combination, 8)
	s.Suite.Spec.Trials.Count = ptr.To[int32](125)
	s.Turns = suite.Turns(seed, [][]int{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}, 125)
	for i := range s.Turns {
		s.Runs[suite.RunName("s", &s.Turns[i], 0)] = valid
	}
	for b.Loop() {
		if d, p := Decide(s); d.Verb != Finish || p.Done != 1000 {
			b.Fatalf("%+v", d)
		}
	}
}
