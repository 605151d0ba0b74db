// Package decide says what a suite does next, and how far it is. It is pure: it sees the suite, its combinations and its
// runs, and asks nobody.
package decide

import (
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/suite"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Run is what is seen of the run that has the name of a trial's attempt.
type Run struct {
	// Ours says that the suite made it, with the spec of that trial.
	Ours bool
	UID  string
	// Name of the run.
	Name string
	// Adopted says that an earlier suite made it.
	Adopted bool
	// Ended says that the run has come to its end, with its teardown.
	Ended   bool
	Outcome manifest.Outcome
	Reasons []string // of an outcome that is not Valid
	Took    time.Duration
}

// State is what a decision is made from.
type State struct {
	Suite        *v1alpha1.BenchmarkSuite
	Combinations []suite.Combination
	Seed         uint64
	Runs         map[string]Run // by name, of all that have the name of an attempt
	// Adoption is what was taken over from an earlier suite; nil if nothing was asked for.
	Adoption *manifest.Adoption
	// Adopted are its runs, in the order of the attempts.
	Adopted map[suite.Trial][]Run
	// UnderWay is a run of the suite that has not ended and is of no trial any more, since there are fewer; "" if there is none.
	UnderWay string
}

// Verb is what to do.
type Verb string

// The verbs.
const (
	Wait    Verb = "Wait"    // a run is under way
	Create  Verb = "Create"  // the run of that name
	Suspend Verb = "Suspend" // a run would be created, and the suite is suspended
	Blocked Verb = "Blocked" // somebody else's run has the name
	Finish  Verb = "Finish"  // all trials have ended
)

// Decision is what to do next, with which run.
type Decision struct {
	Verb  Verb
	Name  string
	Trial suite.Trial
}

// Decide returns the next act, and how far the suite is. One run is under way at a time, and the next one is created when
// the last one has ended. So a single run that somebody creates meanwhile has its turn before it.
func Decide(s *State) (Decision, Progress) {
	progress := Progress{Valid: make([]int, len(s.Combinations)), Attempts: map[suite.Trial][]manifest.Attempt{}}
	next := Decision{Verb: Finish}
	for _, trial := range suite.Order(s.Seed, len(s.Combinations), suite.Blocks(s.Suite)) {
		progress.Total++
		at := standing(s, trial, &progress)
		switch {
		case at.Verb == Finish:
			progress.Done++
		case next.Verb == Finish:
			next = at
		case at.Verb == Wait:
			// Somebody deleted a run of an earlier trial. That one is made again when this one has ended.
			next = at
		}
	}
	progress.Left = progress.Total - progress.Done
	if s.UnderWay != "" && next.Verb != Wait {
		next = Decision{Verb: Wait, Name: s.UnderWay}
	}
	if next.Verb == Create && s.Suite.Spec.Suspend {
		next.Verb = Suspend
	}
	return next, progress
}

// standing says what a trial needs; Finish is nothing more.
func standing(s *State, trial suite.Trial, progress *Progress) Decision {
	for attempt := 0; ; attempt++ {
		name := suite.RunName(s.Suite.Name, trial, attempt)
		run, exists := s.attempt(trial, attempt, name)
		switch {
		case !exists:
			return Decision{Create, name, trial}
		case !run.Ours:
			return Decision{Blocked, name, trial}
		case !run.Ended:
			return Decision{Wait, name, trial}
		}
		progress.note(trial, run)
		if attempt >= suite.Retries(&s.Suite.Spec) || !suite.Repeatable(run.Outcome, run.Reasons) {
			if run.Outcome != manifest.Valid {
				progress.Unusable++
			}
			if run.Adopted {
				progress.Adopted++
			}
			return Decision{Finish, name, trial}
		}
		progress.Repeated++
	}
}

// attempt is the run of a trial's attempt, if there is one.
func (s *State) attempt(trial suite.Trial, attempt int, name string) (run Run, exists bool) {
	if adopted := s.Adopted[trial]; attempt < len(adopted) {
		return adopted[attempt], true
	}
	run, exists = s.Runs[name]
	run.Name = name
	return run, exists
}

// Adopt makes the runs of the adoption those of its trials.
func (s *State) Adopt(a *manifest.Adoption) {
	s.Adoption, s.Adopted = a, map[suite.Trial][]Run{}
	if a == nil {
		return
	}
	for _, t := range a.Trials {
		trial := suite.Trial{Block: t.Block, Combination: t.Combination}
		for _, attempt := range t.Attempts {
			s.Adopted[trial] = append(s.Adopted[trial], Run{
				Ours: true, Ended: true, Adopted: true, Name: attempt.Run, UID: attempt.UID, Outcome: attempt.Outcome, Reasons: attempt.Reasons,
			})
		}
	}
}
