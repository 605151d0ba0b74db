package decide

import (
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/internal/stats"
	"github.com/kvbench/kvbench/internal/suite"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// Step is what a search does next, with the run of a rate.
type Step struct {
	Verb     Verb
	Name     string
	Searched int // the combination of the axes
	Probe    int // how many rates were tried before in it
	Rate     int64
}

// Search returns the next step of the search, and with Finish what it found in each combination of the axes. One run is under way at a
// time. The next rate is of the combination in which the fewest were tried, so that a drift of the machine falls on all.
func Search(s *State) (next Step, found []v1alpha1.FoundRates) {
	next = Step{Verb: Finish}
	for searched := range suite.Searches(s.Combinations) {
		step, of := SearchOne(s, searched)
		found = append(found, of)
		switch {
		case step.Verb == Finish:
		case next.Verb == Finish, step.Verb == Wait && next.Verb != Wait:
			next = step
		case next.Verb != Wait && step.Probe < next.Probe:
			next = step
		}
	}
	if s.UnderWay != "" && next.Verb != Wait {
		next = Step{Verb: Wait, Name: s.UnderWay}
	}
	if next.Verb == Create && s.Suite.Spec.Suspend {
		next.Verb = Suspend
	}
	return next, found
}

// SearchOne returns the next step in one combination of the axes, and what was found in it so far.
func SearchOne(s *State, searched int) (Step, v1alpha1.FoundRates) {
	spec, retries := &s.Suite.Spec, suite.Retries(&s.Suite.Spec)
	combination := manifest.NameOf(suite.SearchedLabels(s.Combinations, searched))
	var tried []v1alpha1.TriedRate
	for {
		rate, more := suite.NextRate(spec.Search, tried)
		if !more {
			why := ""
			if len(tried) == 1 && !tried[0].Kept {
				why = fmt.Sprintf("the objectives were missed at %d operations/s already, which is from", tried[0].Rate)
			}
			return Step{Verb: Finish}, suite.Found(combination, tried, why)
		}
		step, run := tryRate(s, Step{Searched: searched, Probe: len(tried), Rate: rate}, retries)
		if step.Verb != Finish {
			return step, suite.Found(combination, tried, "")
		}
		if run.Outcome != manifest.Valid || run.Verdict == stats.Unknown {
			return step, suite.Found(combination, tried, message.Cut(whyEnded(&step, &run), maxWhy))
		}
		tried = append(tried, v1alpha1.TriedRate{Rate: rate, Kept: run.Verdict == stats.Passed, Run: step.Name, UID: run.UID})
	}
}

// tryRate says what a rate needs; with Finish it returns the run that counts.
func tryRate(s *State, step Step, retries int) (Step, Run) {
	for attempt := 0; ; attempt++ {
		step.Name = suite.ProbeName(s.Suite.Name, step.Searched, step.Rate, attempt)
		run, exists := s.Runs[step.Name]
		switch {
		case !exists:
			step.Verb = Create
		case !run.Ours:
			step.Verb = Blocked
		case !run.Ended:
			step.Verb = Wait
		case attempt < retries && suite.Repeatable(run.Outcome, run.Reasons):
			continue
		default:
			step.Verb = Finish
		}
		return step, run
	}
}

// maxWhy is the API's bound, in bytes.
const maxWhy = 512

func whyEnded(step *Step, run *Run) string {
	text := fmt.Sprintf("at %d operations/s, ", step.Rate)
	switch run.Outcome {
	case manifest.Valid:
		return text + "the figures of run " + step.Name + " don't tell whether the objectives were kept"
	case manifest.Failed:
		return text + "run " + step.Name + " failed: " + strings.Join(run.Reasons, ", ")
	}
	return text + "run " + step.Name + " was not valid: " + strings.Join(run.Reasons, ", ")
}
