package decide

import (
	"slices"
	"time"

	"github.com/kvbench/kvbench/internal/suite"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Progress is how far a suite is. Total, Done, Unusable and Left count trials.
type Progress struct {
	Total, Done, Unusable, Left int
	Repeated                    int   // runs that were made again
	Valid                       []int // trials with valid numbers, by combination
	took                        []time.Duration
}

func (p *Progress) note(trial suite.Trial, run Run) {
	if run.Outcome == manifest.Valid {
		p.Valid[trial.Combination]++
	}
	if run.Took > 0 {
		p.took = append(p.took, run.Took)
	}
}

// TimeLeft estimates how long the trials that are left take: each the median of the runs so far. Without a run that has
// ended nothing is known.
func (p *Progress) TimeLeft() (left time.Duration, known bool) {
	if len(p.took) == 0 {
		return 0, false
	}
	slices.Sort(p.took)
	return p.took[len(p.took)/2] * time.Duration(p.Left), true
}
