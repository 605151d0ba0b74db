package suite

import (
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/requests"
	"github.com/kvbench/kvbench/controllers/suite/decide"
	"github.com/kvbench/kvbench/internal/suite"
)

// search does a pass of a suite that has still to find the rates of its trials.
func (r *Reconciler) search(ctx context.Context, of *v1alpha1.BenchmarkSuite, combinations []suite.Combination) (again time.Duration, err error) {
	state, err := r.observeSearch(ctx, of, combinations)
	if err != nil {
		return 0, err
	}
	var step decide.Step
	step, state.Found = decide.Search(state)
	hindered := ""
	// The results server may forget a run that it doesn't know of as the suite's.
	if err := r.tellResults(ctx, client.ObjectKeyFromObject(of), state, &decide.Progress{}, false); err != nil {
		if step.Verb == decide.Wait {
			return 0, err // a run goes on, and this is tried again
		}
		hindered, step.Verb = err.Error(), decide.Wait
	} else {
		of.Status.Report = r.reference(of)
	}
	switch step.Verb {
	case decide.Finish:
		of.Status.Search, again = state.Found, time.Millisecond
	case decide.Create:
		err := r.Create(ctx, probeOf(state, &step))
		switch {
		case requests.Refused(err):
			hindered = fmt.Sprintf("the API server refused the BenchmarkRun %s: %v", step.Name, err)
		case client.IgnoreAlreadyExists(err) != nil: // what exists is seen by the next pass
			return 0, fmt.Errorf("creating the run %s: %w", step.Name, err)
		}
	case decide.Blocked:
		hindered = taken(state, step.Name)
	}
	d := decide.Decision{Verb: step.Verb, Name: step.Name}
	if d.Verb == decide.Finish {
		d.Verb = decide.Wait // for the trials
	}
	if hindered != "" {
		d.Verb, again = decide.Blocked, lookAgain
	}
	of.Status.Seed, of.Status.Combinations, of.Status.Run = int64(state.Seed), int32(len(combinations)), ""
	if d.Verb == decide.Wait || d.Verb == decide.Create {
		of.Status.Run = d.Name
	}
	noteUnjudged(of)
	summarize(of, d, nil, message.StableText(hindered))
	return again, nil
}

// observeSearch finds the runs that try rates. It looks at one after the other: what the next one tries follows from those before it.
func (r *Reconciler) observeSearch(ctx context.Context, of *v1alpha1.BenchmarkSuite, combinations []suite.Combination) (*decide.State, error) {
	state, found, err := r.begin(ctx, of, combinations)
	if err != nil {
		return nil, err
	}
	for searched := range suite.Searches(combinations) {
		for {
			step, _ := decide.SearchOne(state, searched)
			run, exists := found.byName[step.Name]
			if step.Verb != decide.Create || !exists {
				break
			}
			seen, err := r.look(of, run, &suite.Turn{}, func() *v1alpha1.BenchmarkRunSpec { return &probeOf(state, &step).Spec })
			if err != nil {
				return nil, err
			}
			state.Runs[step.Name] = seen
		}
	}
	state.UnderWay = underWay(of, found.all, state.Runs)
	return state, nil
}

// probeOf is the run that tries a rate.
func probeOf(state *decide.State, step *decide.Step) *v1alpha1.BenchmarkRun {
	probe := suite.Probe(state.Combinations, step.Searched, step.Rate)
	// Its seed is of no block: a trial at this rate would send the operations again with which the rate was chosen.
	turn := &suite.Turn{Block: -1 - step.Probe, Combinations: []int{0}}
	return runOf(state.Suite, step.Name, []suite.Combination{*probe}, turn, state.Seed)
}
