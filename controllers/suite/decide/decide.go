// Package decide says what a suite does next, and how far it is. It is pure: it sees the suite, its combinations and its
// runs, and asks nobody.
package decide

import (
	"slices"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/stats"
	"github.com/kvbench/kvbench/internal/suite"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Result is how the measurement of a combination ended.
type Result struct {
	Outcome manifest.Outcome
	Reasons []string // of an outcome that is not Valid
}

// Run is what is seen of the run that has the name of a turn's attempt.
type Run struct {
	// Ours says that the suite made it, with the spec of that turn. One that isn't may be Leaving, which is being deleted.
	Ours, Leaving bool
	UID           string
	// Name of the run.
	Name string
	// Adopted says that an earlier suite made it. Prefix is then that of the combination's workloads in it.
	Adopted bool
	Prefix  string
	// Ended says that the run has come to its end, with its teardown.
	Ended bool
	Result
	// Results are those of the combinations that share the run; nil for a run of one.
	Results map[int]Result
	// Verdict of stats is whether the run kept its objectives; "" for a run without.
	Verdict stats.Verdict
	Took    time.Duration
}

// of is the result of a combination.
func (r *Run) of(combination int) Result {
	if r.Results == nil {
		return r.Result
	}
	return r.Results[combination]
}

// State is what a decision is made from.
type State struct {
	Suite        *v1alpha1.BenchmarkSuite
	Combinations []suite.Combination
	Seed         uint64
	// Turns are all runs, in their order, without those that are made again.
	Turns []suite.Turn
	Runs  map[string]Run // by name, of all that have the name of an attempt
	// Measured says which combinations have trials; nil is all.
	Measured []bool
	// Found is what the search found, or found so far, in each combination of the axes.
	Found []v1alpha1.FoundRates
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

// Decision is what to do next, with which run. Turn has the combinations that the run measures.
type Decision struct {
	Verb Verb
	Name string
	Turn suite.Turn
}

// Decide returns the next act, and how far the suite is. One run is under way at a time, and the next one is created when
// the last one has ended. So a single run that somebody creates meanwhile has its turn before it.
func Decide(s *State) (Decision, Progress) {
	progress := Progress{Valid: make([]int, len(s.Combinations)), Attempts: map[suite.Trial][]manifest.Attempt{}, repeated: map[string]bool{}}
	next := Decision{Verb: Finish}
	for i := range s.Turns {
		progress.Total += len(s.Turns[i].Combinations)
		at := standing(s, &s.Turns[i], &progress)
		switch {
		case at.Verb == Finish:
		case next.Verb == Finish:
			next = at
		case at.Verb == Wait:
			// Somebody deleted a run of an earlier turn. That one is made again when this one has ended.
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

// Next says what a turn needs; Finish is nothing more.
func Next(s *State, turn *suite.Turn) Decision { return standing(s, turn, nil) }

// standing is Next, and notes in progress what has ended, unless that is nil.
func standing(s *State, turn *suite.Turn, progress *Progress) Decision {
	tries := attempts{most: 1 + suite.Retries(&s.Suite.Spec)}
	left := s.takeOver(turn, &tries, progress)
	attempt := 0
	if !turn.Shared { // the attempts of a trial are counted on
		attempt = len(s.Adopted[turn.Trials()[0]])
	}
	for ; len(left.Combinations) > 0; attempt++ {
		name := suite.RunName(s.Suite.Name, turn, attempt)
		run, exists := s.Runs[name]
		run.Name = name
		switch {
		case !exists:
			return Decision{Create, name, left}
		case !run.Ours:
			return Decision{Blocked, name, left}
		case !run.Ended:
			return Decision{Wait, name, left}
		}
		again := tries.spoilt(&left, &run)
		if progress != nil {
			progress.note(&left, &run, again)
		}
		left = left.Left(again)
	}
	return Decision{Verb: Finish}
}

// takeOver notes the attempts of an earlier suite, and returns what these left of the turn.
func (s *State) takeOver(turn *suite.Turn, tries *attempts, progress *Progress) (left suite.Turn) {
	if len(s.Adopted) == 0 {
		return *turn
	}
	left = turn.Left(nil)
	for _, combination := range turn.Combinations {
		one := turn.Left([]int{combination})
		for _, run := range s.Adopted[suite.Trial{Block: turn.Block, Combination: combination}] {
			again := tries.spoilt(&one, &run)
			if progress != nil {
				progress.note(&one, &run, again)
			}
			if one = one.Left(again); len(again) == 0 {
				break
			}
		}
		left.Combinations = append(left.Combinations, one.Combinations...)
	}
	return left
}

// attempts counts those of each combination of a turn. One that it never began in is none of its own: another one of the run failed then,
// and that is not measured again for ever.
type attempts struct {
	most int
	used map[int]int // by combination
}

// spoilt are the combinations that are measured again after the run: their numbers were spoilt by the generator, the infrastructure or
// another combination.
func (a *attempts) spoilt(turn *suite.Turn, run *Run) (again []int) {
	for _, combination := range turn.Combinations {
		result := run.of(combination)
		if result.Outcome == manifest.Valid {
			continue
		}
		if a.used == nil {
			a.used = map[int]int{}
		}
		if !slices.Contains(result.Reasons, suite.ReasonNotBegun) {
			a.used[combination]++
		}
		if a.used[combination] < a.most && suite.Repeatable(result.Outcome, result.Reasons) {
			again = append(again, combination)
		}
	}
	return again
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
				Ours: true, Ended: true, Adopted: true, Name: attempt.Run, UID: attempt.UID, Prefix: attempt.Prefix, Result: Result{attempt.Outcome, attempt.Reasons},
			})
		}
	}
}
