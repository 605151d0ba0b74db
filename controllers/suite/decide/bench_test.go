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
	var stores []suite.Store
	for i := range s.Combinations {
		stores = append(stores, suite.Store{Combinations: []int{i}})
	}
	s.Turns = suite.Turns(seed, stores, 125)
	for i := range s.Turns {
		s.Runs[suite.RunName("s", &s.Turns[i], 0)] = valid
	}
	for b.Loop() {
		if d, p := Decide(s); d.Verb != Finish || p.Done != 1000 {
			b.Fatalf("%+v", d)
		}
	}
}
