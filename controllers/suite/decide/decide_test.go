package decide

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/suite"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

const seed = 7

// of is a suite of two combinations and two trials, with the runs that are given by their place in the order and their attempt.
func of(runs map[string]Run, change ...func(*v1alpha1.BenchmarkSuite)) *State {
	s := &State{Suite: &v1alpha1.BenchmarkSuite{}, Combinations: make([]suite.Combination, 2), Seed: seed, Runs: runs, Turns: turns}
	s.Suite.Name = "s"
	for _, do := range change {
		do(s.Suite)
	}
	return s
}

// with a run under way that is of no trial.
func (s *State) with(underWay string) *State {
	s.UnderWay = underWay
	return s
}

// name of the run that comes at that place.
func name(place, attempt int) string {
	return suite.RunName("s", &turns[place], attempt)
}

// turns are those of two combinations with stores of their own, and two trials.
var (
	alone = []suite.Store{{Combinations: []int{0}}, {Combinations: []int{1}}}
	turns = suite.Turns(seed, alone, 2)
)

var (
	valid    = Run{Ours: true, Ended: true, Result: Result{Outcome: manifest.Valid}, Took: time.Minute}
	lagging  = Run{Ours: true, Ended: true, Result: Result{manifest.NotValid, []string{report.GeneratorLag}}}
	notBelow = Run{Ours: true, Ended: true, Result: Result{manifest.NotValid, []string{report.LoadIncomplete}}}
	lost     = Run{Ours: true, Ended: true, Result: Result{manifest.Failed, []string{"MeasurementLost"}}}
	refused  = Run{Ours: true, Ended: true, Result: Result{manifest.Failed, []string{"InvalidLoad"}}}
	underWay = Run{Ours: true}
	foreign  = Run{Ended: true, Result: Result{Outcome: manifest.Valid}}
)

func TestDecide(t *testing.T) {
	suspended := func(s *v1alpha1.BenchmarkSuite) { s.Spec.Suspend = true }
	once := func(s *v1alpha1.BenchmarkSuite) { s.Spec.Retries = ptr.To[int32](1) }
	all := map[string]Run{name(0, 0): valid, name(1, 0): valid, name(2, 0): valid, name(3, 0): valid}
	for _, c := range []struct {
		what                         string
		state                        *State
		verb                         Verb
		name                         string
		done, unusable, left, repeat int
	}{
		{"nothing done", of(nil), Create, name(0, 0), 0, 0, 4, 0},
		{"suspended before anything", of(nil, suspended), Suspend, name(0, 0), 0, 0, 4, 0},
		{"the first one under way", of(map[string]Run{name(0, 0): underWay}), Wait, name(0, 0), 0, 0, 4, 0},
		{"suspended under way", of(map[string]Run{name(0, 0): underWay}, suspended), Wait, name(0, 0), 0, 0, 4, 0},
		{"one done", of(map[string]Run{name(0, 0): valid}), Create, name(1, 0), 1, 0, 3, 0},
		{"one lagged", of(map[string]Run{name(0, 0): lagging}), Create, name(0, 1), 0, 0, 4, 1},
		{"one lagged and was lost", of(map[string]Run{name(0, 0): lagging, name(0, 1): lost}), Create, name(0, 2), 0, 0, 4, 2},
		{"one lagged thrice", of(map[string]Run{name(0, 0): lagging, name(0, 1): lagging, name(0, 2): lagging}), Create, name(1, 0), 1, 1, 3, 2},
		{"one lagged, where one more attempt is allowed", of(map[string]Run{name(0, 0): lagging, name(0, 1): lagging}, once), Create, name(1, 0), 1, 1, 3, 1},
		{"one got valid", of(map[string]Run{name(0, 0): lagging, name(0, 1): valid}), Create, name(1, 0), 1, 0, 3, 1},
		{"the store did not take its records", of(map[string]Run{name(0, 0): notBelow}), Create, name(1, 0), 1, 1, 3, 0},
		{"one was refused", of(map[string]Run{name(0, 0): refused}), Create, name(1, 0), 1, 1, 3, 0},
		{"the name is taken", of(map[string]Run{name(0, 0): valid, name(1, 0): foreign}), Blocked, name(1, 0), 1, 0, 3, 0},
		{"all done", of(all), Finish, "", 4, 0, 0, 0},
		{"all done and suspended", of(all, suspended), Finish, "", 4, 0, 0, 0},
		{"one deleted, and a later one under way", of(map[string]Run{name(1, 0): valid, name(2, 0): underWay}), Wait, name(2, 0), 1, 0, 3, 0},
		{"a later attempt of a trial that is done", of(map[string]Run{name(0, 0): valid, name(0, 1): lagging}), Create, name(1, 0), 1, 0, 3, 0},
		{"one under way of a trial that isn't asked for any more", of(map[string]Run{name(0, 0): valid}).with("s-b9-c1"), Wait, "s-b9-c1", 1, 0, 3, 0},
		{"one deleted, and later ones done", of(map[string]Run{name(1, 0): valid, name(2, 0): valid}), Create, name(0, 0), 2, 0, 2, 0},
	} {
		t.Run(c.what, func(t *testing.T) {
			d, p := Decide(c.state)
			if d.Verb != c.verb || d.Name != c.name {
				t.Errorf("%s %s, want %s %s", d.Verb, d.Name, c.verb, c.name)
			}
			if p.Total != 4 || p.Done != c.done || p.Unusable != c.unusable || p.Left != c.left || p.Repeated != c.repeat {
				t.Errorf("%+v", p)
			}
		})
	}
}

func TestTheAttemptsThatCount(t *testing.T) {
	_, p := Decide(of(map[string]Run{name(0, 0): lagging, name(0, 1): valid, name(0, 2): lagging, name(1, 0): underWay}))
	order := suite.Order(seed, 2, 2)
	if got := p.Attempts[order[0]]; len(got) != 2 || got[1].Run != name(0, 1) {
		t.Errorf("%v", got)
	}
	if got := p.Attempts[order[1]]; len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestFurtherTrialsAreAddedAtTheEnd(t *testing.T) {
	s := of(map[string]Run{name(0, 0): valid, name(1, 0): valid, name(2, 0): valid, name(3, 0): valid})
	s.Turns = suite.Turns(seed, alone, 3)
	if d, p := Decide(s); d.Verb != Create || d.Turn.Block != 2 || p.Done != 4 || p.Left != 2 {
		t.Errorf("%+v, %+v", d, p)
	}
	s.Turns = suite.Turns(seed, alone, 1)
	if d, p := Decide(s); d.Verb != Finish || p.Total != 2 || p.Done != 2 {
		t.Errorf("%+v, %+v", d, p)
	}
}

func TestTheTimeLeft(t *testing.T) {
	runs := map[string]Run{}
	_, p := Decide(of(runs))
	if left, known := p.TimeLeft(); known {
		t.Errorf("it is %s before any run has ended", left)
	}
	for i, took := range []time.Duration{time.Minute, 3 * time.Minute, 2 * time.Minute} {
		run := valid
		run.Took = took
		runs[name(i, 0)] = run
	}
	_, p = Decide(of(runs))
	if left, known := p.TimeLeft(); !known || left != 2*time.Minute {
		t.Errorf("it is %s", left)
	}
	if fmt.Sprint(p.Valid) != "[2 1]" && fmt.Sprint(p.Valid) != "[1 2]" {
		t.Errorf("valid trials by combination: %v", p.Valid)
	}
}

func TestTrialsOfAnEarlierSuiteAreDone(t *testing.T) {
	order := suite.Order(seed, 2, 2)
	adopted := func(place int, attempts ...manifest.Attempt) manifest.Trial {
		return manifest.Trial{Block: order[place].Block, Combination: order[place].Combination, Attempts: attempts}
	}
	old := manifest.Attempt{Run: "s-b1-c9", UID: "old", Outcome: manifest.Valid, Adopted: true}
	lagged := manifest.Attempt{Run: "s-b2-c9", UID: "lagged", Outcome: manifest.NotValid, Reasons: []string{report.GeneratorLag}, Adopted: true}
	s := of(map[string]Run{name(1, 0): valid})
	s.Adopt(&manifest.Adoption{Trials: []manifest.Trial{adopted(0, old), adopted(2, lagged)}})
	d, p := Decide(s)
	if d.Verb != Create || d.Name != name(2, 1) {
		t.Errorf("%s %s, want the second attempt of the third trial", d.Verb, d.Name)
	}
	if p.Done != 2 || p.Adopted != 1 || p.Repeated != 1 || !reflect.DeepEqual(p.Attempts[order[0]], []manifest.Attempt{old}) {
		t.Errorf("%+v", p)
	}
	s.Runs[name(2, 1)], s.Runs[name(3, 0)] = valid, valid
	if d, p = Decide(s); d.Verb != Finish || p.Adopted != 1 || len(p.Attempts[order[2]]) != 2 {
		t.Errorf("%+v, %+v", d, p)
	}
}

func TestASharedRunMeasuresWhatAnEarlierSuiteLeft(t *testing.T) {
	attempt := func(run string, outcome manifest.Outcome, reasons ...string) manifest.Attempt {
		return manifest.Attempt{Run: run, UID: run, Prefix: "c7-", Outcome: outcome, Reasons: reasons, Adopted: true}
	}
	late := attempt("late", manifest.NotValid, report.GeneratorLag)
	s := shared(map[string]Run{"s-b1-c3": valid})
	s.Adopt(&manifest.Adoption{Trials: []manifest.Trial{
		{Combination: 0, Attempts: []manifest.Attempt{attempt("one", manifest.Valid)}},
		{Combination: 1, Attempts: []manifest.Attempt{late}},
	}})
	d, p := Decide(s)
	if slices.Sort(d.Turn.Combinations); d.Verb != Create || d.Name != "s-b1-s1" || !slices.Equal(d.Turn.Combinations, []int{1, 3}) {
		t.Errorf("%s %s of %v", d.Verb, d.Name, d.Turn.Combinations)
	}
	if got := p.Attempts[suite.Trial{Combination: 0}]; p.Done != 2 || p.Adopted != 1 || len(got) != 1 || got[0].Prefix != "c7-" {
		t.Errorf("%+v", p)
	}
	s.Runs["s-b1-s1"] = Run{Ours: true, Ended: true, Results: map[int]Result{1: {manifest.NotValid, []string{report.GeneratorLag}}, 3: {Outcome: manifest.Valid}}}
	// It may be made three times in all.
	if d, _ := Decide(s); d.Name != "s-b1-s1-r1" || !slices.Equal(d.Turn.Combinations, []int{1}) {
		t.Errorf("%s %s of %v", d.Verb, d.Name, d.Turn.Combinations)
	}
	s.Runs["s-b1-s1-r1"] = Run{Ours: true, Ended: true, Results: map[int]Result{1: {manifest.NotValid, []string{report.GeneratorLag}}}}
	if d, p := Decide(s); d.Verb != Finish || p.Done != 4 || p.Unusable != 1 {
		t.Errorf("%s %s, %+v", d.Verb, d.Name, p)
	}
	s.Adopt(&manifest.Adoption{Trials: []manifest.Trial{
		{Combination: 0, Attempts: []manifest.Attempt{attempt("one", manifest.Valid)}},
		{Combination: 1, Attempts: []manifest.Attempt{late, attempt("again", manifest.Valid)}},
		{Combination: 3, Attempts: []manifest.Attempt{late, attempt("again", manifest.Valid)}},
	}})
	s.Runs = map[string]Run{"s-b1-c3": valid}
	if d, p := Decide(s); d.Verb != Finish || p.Adopted != 3 || p.Repeated != 1 {
		t.Errorf("nothing is left: %s %s, %+v", d.Verb, d.Name, p)
	}
}

// shared has three combinations on one store and one with a store of its own, in one block.
func shared(runs map[string]Run) *State {
	s := of(runs)
	s.Combinations = make([]suite.Combination, 4)
	s.Turns = suite.Turns(seed, []suite.Store{{Combinations: []int{0, 1, 3}, Shared: true}, {Combinations: []int{2}}}, 1)
	return s
}

func TestCombinationsThatShareARunEndOneByOne(t *testing.T) {
	ended := func(results map[int]Result) Run {
		return Run{Ours: true, Ended: true, Results: results, Took: 3 * time.Minute}
	}
	good, late := Result{Outcome: manifest.Valid}, Result{manifest.NotValid, []string{report.GeneratorLag}}
	full, notBegun := Result{manifest.Failed, []string{"LoadFailed"}}, Result{manifest.Failed, []string{suite.ReasonNotBegun}}
	one, all := "s-b1-c3", map[int]Result{0: good, 1: good, 3: good}
	for _, c := range []struct {
		what                         string
		runs                         map[string]Run
		verb                         Verb
		name                         string
		left                         []int // combinations of the run, in any order
		done, unusable, todo, repeat int
	}{
		{"nothing done", map[string]Run{one: valid}, Create, "s-b1-s1", []int{0, 1, 3}, 1, 0, 3, 0},
		{"all valid", map[string]Run{one: valid, "s-b1-s1": ended(all)}, Finish, "", nil, 4, 0, 0, 0},
		{"one lagged", map[string]Run{one: valid, "s-b1-s1": ended(map[int]Result{0: good, 1: late, 3: good})}, Create, "s-b1-s1-r1", []int{1}, 3, 0, 1, 1},
		{"the store failed in the second, and took none of its", map[string]Run{one: valid, "s-b1-s1": ended(map[int]Result{0: good, 3: full, 1: notBegun})}, Create, "s-b1-s1-r1", []int{1}, 3, 1, 1, 1},
		{"that is made again", map[string]Run{
			one: valid, "s-b1-s1": ended(map[int]Result{0: good, 3: full, 1: notBegun}), "s-b1-s1-r1": ended(map[int]Result{1: good}),
		}, Finish, "", nil, 4, 1, 0, 1},
		{"each attempt has another culprit, and the last one has its turn", map[string]Run{
			one: valid, "s-b1-s1": ended(map[int]Result{0: full, 3: notBegun, 1: notBegun}), "s-b1-s1-r1": ended(map[int]Result{3: full, 1: notBegun}),
			"s-b1-s1-r2": ended(map[int]Result{1: late}),
		}, Create, "s-b1-s1-r3", []int{1}, 3, 2, 1, 3},
		{"under way", map[string]Run{one: valid, "s-b1-s1": {Ours: true}}, Wait, "s-b1-s1", []int{0, 1, 3}, 1, 0, 3, 0},
	} {
		t.Run(c.what, func(t *testing.T) {
			d, p := Decide(shared(c.runs))
			if slices.Sort(d.Turn.Combinations); d.Verb != c.verb || d.Name != c.name || !slices.Equal(d.Turn.Combinations, c.left) {
				t.Errorf("%s %s of %v", d.Verb, d.Name, d.Turn.Combinations)
			}
			if p.Total != 4 || p.Done != c.done || p.Unusable != c.unusable || p.Left != c.todo || p.Repeated != c.repeat {
				t.Errorf("%+v", p)
			}
		})
	}
	_, p := Decide(shared(map[string]Run{"s-b1-s1": ended(all)}))
	if left, _ := p.TimeLeft(); left != time.Minute {
		t.Errorf("one combination is left and takes %s", left)
	}
	if got := p.Attempts[suite.Trial{Combination: 3}]; len(got) != 1 || got[0].Prefix != "c4-" || got[0].Run != "s-b1-s1" {
		t.Errorf("%+v", got)
	}
}
