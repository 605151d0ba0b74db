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
	Adopted                     int   // trials that are done by a run of an earlier suite
	Valid                       []int // trials with valid numbers, by combination
	// Attempts are the runs of each trial that have ended and count. The last one has what counts of a trial that is done.
	Attempts map[suite.Trial][]manifest.Attempt
	repeated map[string]bool // runs, by name and UID
	took     []time.Duration
}

// note takes a run of a turn that has ended. again are the combinations that are measured again.
func (p *Progress) note(turn *suite.Turn, run *Run, again []int) {
	for _, trial := range turn.Trials() {
		result := run.of(trial.Combination)
		attempt := manifest.Attempt{Run: run.Name, UID: run.UID, Outcome: result.Outcome, Reasons: result.Reasons, Adopted: run.Adopted, Prefix: run.Prefix}
		if turn.Shared && !run.Adopted { // an earlier suite may have had another place for the combination
			attempt.Prefix = suite.Prefix(trial.Combination)
		}
		p.Attempts[trial] = append(p.Attempts[trial], attempt)
		if result.Outcome == manifest.Valid {
			p.Valid[trial.Combination]++
		}
		if slices.Contains(again, trial.Combination) {
			continue
		}
		p.Done++
		if result.Outcome != manifest.Valid {
			p.Unusable++
		}
		if run.Adopted {
			p.Adopted++
		}
	}
	// The combinations of a shared run that was taken over come one by one.
	if key := run.Name + run.UID; len(again) > 0 && !p.repeated[key] {
		p.repeated[key] = true
		p.Repeated++
	}
	if run.Took > 0 {
		p.took = append(p.took, run.Took/time.Duration(len(turn.Combinations)))
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
