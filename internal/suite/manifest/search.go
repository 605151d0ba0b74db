package manifest

import (
	"fmt"
	"slices"

	"github.com/kvbench/kvbench/internal/plan"
)

// SearchAxis is the axis that a search adds, with its values.
const (
	SearchAxis = "search"
	Holds      = "holds"
	Misses     = "misses"
)

// Search is a search for the highest rate at which objectives are kept.
type Search struct {
	Objectives []plan.Objective `json:"objectives"`
	Texts      []string         `json:"texts"` // of the objectives, for people
	// Found is in each combination of the other axes.
	Found []Found `json:"found"`
	// UnderWay says that there are no trials yet. Found then has what was tried, and no rate.
	UnderWay bool `json:"underWay,omitempty"`
}

// Found is what a search found in a combination of the other axes.
type Found struct {
	With []Label `json:"with"`
	// Holds is the highest rate at which the objectives were kept, and Misses the lowest above it at which they weren't; nil where
	// there is none.
	Holds  *Point  `json:"holds"`
	Misses *Point  `json:"misses"`
	Tried  []Tried `json:"tried"`
	// Absent is the combination without trials, as no rate was found that misses, and none was needed; nil where there is none.
	Absent *int `json:"absent,omitempty"`
	// Why the search ended early, if it did.
	Why string `json:"why,omitempty"`
}

// Point is a rate whose combination has trials.
type Point struct {
	Rate        int64 `json:"rate"` // operations/s
	Combination int   `json:"combination"`
}

// Tried is a rate that one run tried.
type Tried struct {
	Rate int64 `json:"rate"` // operations/s
	Kept bool  `json:"kept"`
	// Run is the name of the run, and UID is the run's. Both are "" in manifests of earlier versions.
	Run string `json:"run,omitempty"`
	UID string `json:"uid,omitempty"`
}

// Absent says of a combination that a search found no such rate, and none was needed: the objectives were kept at each.
func (s *Search) Absent(combination int) bool {
	return s != nil && slices.ContainsFunc(s.Found, func(f Found) bool { return f.Absent != nil && *f.Absent == combination })
}

// complete adds what manifests of earlier versions leave to a rule: which combination is absent.
func (s *Search) complete() {
	if s == nil || s.UnderWay {
		return
	}
	for i := range s.Found {
		if f := &s.Found[i]; f.Holds != nil && f.Misses == nil && f.Absent == nil {
			absent := f.Holds.Combination + 1
			f.Absent = &absent
		}
	}
}

// check refuses what contradicts the manifest.
func (s *Search) check(axes []Axis, combinations int) error {
	if s == nil {
		return nil
	}
	if len(axes) == 0 || axes[len(axes)-1].Name != SearchAxis {
		return fmt.Errorf("there is a search, and the last axis isn't %s", SearchAxis)
	}
	if len(s.Texts) != len(s.Objectives) {
		return fmt.Errorf("the search has %d objectives, and %d texts", len(s.Objectives), len(s.Texts))
	}
	for i := range s.Found {
		if len(s.Found[i].With) != len(axes)-1 {
			return fmt.Errorf("the search found a rate with %d labels, and there are %d other axes", len(s.Found[i].With), len(axes)-1)
		}
		if absent := s.Found[i].Absent; absent != nil && (*absent < 0 || *absent >= combinations) {
			return fmt.Errorf("the search needed no rate of combination %d, which isn't there", *absent)
		}
		for _, point := range []*Point{s.Found[i].Holds, s.Found[i].Misses} {
			if point != nil && (point.Combination < 0 || point.Combination >= combinations) {
				return fmt.Errorf("the search found a rate of combination %d, which isn't there", point.Combination)
			}
		}
	}
	return nil
}
