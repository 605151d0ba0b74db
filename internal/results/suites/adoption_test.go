package suites

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/suite/manifest"
)

const (
	earlierUID = "00000000-0000-4000-8000-00000000000e"
	laterUID   = "00000000-0000-4000-8000-00000000000f"
)

// shop is a suite of the rates 10 and 20 in two blocks.
func shop(uid string, trials ...manifest.Trial) *manifest.Manifest {
	rates := []manifest.Label{{Axis: "rate", Value: "10"}, {Axis: "rate", Value: "20"}}
	return &manifest.Manifest{
		Format: manifest.Format, Suite: manifest.Name{Namespace: "team", Name: "shop", UID: uid}, Seed: 7, Blocks: 2,
		Axes: []manifest.Axis{{Name: "rate", Values: []string{"10", "20"}}}, Combinations: [][]manifest.Label{{rates[0]}, {rates[1]}}, Trials: trials,
	}
}

func trial(block, combination int, attempts ...manifest.Attempt) manifest.Trial {
	return manifest.Trial{Block: block, Combination: combination, Attempts: attempts}
}

func run(uid string, outcome manifest.Outcome, adopted bool) manifest.Attempt {
	return manifest.Attempt{Run: "run-" + uid, UID: uid, Outcome: outcome, Adopted: adopted}
}

// prints are the fingerprints of runs' plans, by UID.
type prints map[string]string

func (p prints) of(attempt *manifest.Attempt) (string, error) { return p[attempt.UID], nil }

func keepManifest(t *testing.T, s *Store, m *manifest.Manifest) {
	t.Helper()
	text, err := json.Marshal(m)
	if err == nil {
		err = s.Put(m.Suite.UID, text)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestASuiteTakesOverWhatMeasuredTheSame(t *testing.T) {
	valid, lagged, failed := manifest.Valid, manifest.NotValid, manifest.Failed
	for what, c := range map[string]struct {
		trials []manifest.Trial
		plans  prints
		asked  []string
		want   []manifest.Trial
	}{
		"a finished trial, and none that has not ended": {
			[]manifest.Trial{trial(0, 1, run("a", valid, false)), trial(0, 0)}, prints{"a": "f20"}, []string{"f10", "f20"},
			[]manifest.Trial{trial(0, 1, run("a", valid, true))},
		},
		"nothing that measured something else": {
			[]manifest.Trial{trial(0, 1, run("a", valid, false))}, prints{"a": "older"}, []string{"f10", "f20"}, nil,
		},
		"nothing whose report isn't kept": {
			[]manifest.Trial{trial(0, 1, run("a", valid, false))}, prints{}, []string{"f10", "f20"}, nil,
		},
		"nothing by a fingerprint that isn't known": {
			[]manifest.Trial{trial(0, 1, run("a", valid, false))}, prints{"a": ""}, []string{"f10", ""}, nil,
		},
		"all attempts of a trial": {
			[]manifest.Trial{trial(1, 0, run("a", lagged, false), run("b", valid, false))}, prints{"a": "f10", "b": "f10"}, []string{"f10", "f20"},
			[]manifest.Trial{trial(1, 0, run("a", lagged, true), run("b", valid, true))},
		},
		"the labels tell apart what measures the same": {
			[]manifest.Trial{trial(0, 1, run("b", valid, false)), trial(0, 0, run("a", valid, false))}, prints{"a": "f", "b": "f"}, []string{"f", "f"},
			[]manifest.Trial{trial(0, 1, run("b", valid, true)), trial(0, 0, run("a", valid, true))},
		},
		"a run that isn't valid whose report is gone": {
			[]manifest.Trial{trial(0, 0, run("a", valid, false)), trial(1, 0, run("b", lagged, false))}, prints{"a": "f10"}, []string{"f10", "f20"},
			[]manifest.Trial{trial(0, 0, run("a", valid, true)), trial(1, 0, run("b", lagged, true))},
		},
		"a failure of a combination whose plan others have": {
			[]manifest.Trial{trial(0, 0, run("a", valid, false)), trial(1, 0, run("b", failed, false))}, prints{"a": "f10"}, []string{"f10", "f20"},
			[]manifest.Trial{trial(0, 0, run("a", valid, true)), trial(1, 0, run("b", failed, true))},
		},
		"one trial for a place": {
			[]manifest.Trial{trial(0, 0, run("a", valid, false)), trial(0, 0, run("b", valid, false))}, prints{"a": "f10", "b": "f10"}, []string{"f10", "f20"},
			[]manifest.Trial{trial(0, 0, run("a", valid, true))},
		},
		"no failure whose plan nobody knows": {
			[]manifest.Trial{trial(0, 0, run("a", failed, false))}, prints{}, []string{"f10", "f20"}, nil,
		},
	} {
		t.Run(what, func(t *testing.T) {
			s := open(t, t.TempDir(), &clock{at: time.Now()})
			keepManifest(t, s, shop(earlierUID, c.trials...))
			got, err := s.Adopt(shop(laterUID), c.asked, nil, c.plans.of)
			if err != nil || !reflect.DeepEqual(got.Trials, c.want) {
				t.Fatalf("%+v, %v", got, err)
			}
			if adopted := len(c.want) > 0; adopted && (got.Suite != earlierUID || got.Seed != 7) || !adopted && got.Suite != "" {
				t.Errorf("%+v", got)
			}
			if again, err := s.Adopt(shop(laterUID), nil, nil, prints{}.of); err != nil || !reflect.DeepEqual(again, got) {
				t.Errorf("asked again without fingerprints: %+v, %v", again, err)
			}
			if kept, err := s.Manifest(laterUID); err != nil || !reflect.DeepEqual(kept.Adoption, got) {
				t.Errorf("its manifest has %+v, %v", kept, err)
			}
		})
	}
}

func TestASuiteTakesOverFromTheLastOneOfItsNameThatHasSomething(t *testing.T) {
	c := &clock{at: time.Now()}
	s := open(t, t.TempDir(), c)
	oldest, empty, elsewhere := shop(uidOf(1), trial(0, 0, run("a", manifest.Valid, false))), shop(uidOf(2)), shop(uidOf(3), trial(0, 0, run("b", manifest.Valid, false)))
	elsewhere.Suite.Namespace = "another"
	for _, m := range []*manifest.Manifest{oldest, empty, elsewhere} {
		keepManifest(t, s, m)
		c.at = c.at.Add(time.Minute)
	}
	plans := prints{"a": "f10", "b": "f10"}
	got, err := s.Adopt(shop(uidOf(4)), []string{"f10", "f20"}, nil, plans.of)
	if err != nil || got.Suite != uidOf(1) || got.Changed {
		t.Fatalf("%+v, %v", got, err)
	}
	asks := shop(uidOf(5))
	asks.Compare.Metrics = []string{"p99"}
	c.at = c.at.Add(-time.Hour) // the fourth is no longer the last
	if got, err = s.Adopt(asks, []string{"f10", "f20"}, nil, plans.of); err != nil || !got.Changed {
		t.Errorf("a suite that compares something else: %+v, %v", got, err)
	}
}

// A combination that has another place, or another name, is found by what it measures.
func TestACombinationIsFoundWhereverItIs(t *testing.T) {
	s := open(t, t.TempDir(), &clock{at: time.Now()})
	earlier := shop(earlierUID, trial(0, 0, run("a", manifest.Valid, false)), trial(0, 1, run("b", manifest.Valid, false)))
	keepManifest(t, s, earlier)
	later := shop(laterUID)
	later.Axes[0].Values = []string{"20", "10", "ten", "five"}
	later.Combinations = [][]manifest.Label{{{Axis: "rate", Value: "20"}}, {{Axis: "rate", Value: "5"}}, {{Axis: "rate", Value: "ten"}}}
	got, err := s.Adopt(later, []string{"f20", "f5", "f10"}, nil, prints{"a": "f10", "b": "f20"}.of)
	want := []manifest.Trial{trial(0, 2, run("a", manifest.Valid, true)), trial(0, 0, run("b", manifest.Valid, true))}
	if err != nil || !reflect.DeepEqual(got.Trials, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestASuiteWithAnotherSeedTakesOverNothing(t *testing.T) {
	s := open(t, t.TempDir(), &clock{at: time.Now()})
	keepManifest(t, s, shop(earlierUID, trial(0, 0, run("a", manifest.Valid, false))))
	for seed, taken := range map[uint64]int{7: 1, 8: 0} {
		got, err := s.Adopt(shop(uidOf(int(seed))), []string{"f10", "f20"}, &seed, prints{"a": "f10"}.of)
		if err != nil || len(got.Trials) != taken {
			t.Errorf("with seed %d: %+v, %v", seed, got, err)
		}
	}
}

func TestASuiteTakesOverRunsOfItsOwnReuseAlone(t *testing.T) {
	s := open(t, t.TempDir(), &clock{at: time.Now()})
	shared := shop(earlierUID, trial(0, 0, run("a", manifest.Valid, false)))
	shared.Format, shared.Reuse = manifest.FormatShared, "Store"
	keepManifest(t, s, shared)
	for reuse, taken := range map[string]int{"": 0, "Store": 1} {
		later := shop(uidOf(taken))
		later.Reuse = reuse
		if got, err := s.Adopt(later, []string{"f10", "f20"}, nil, prints{"a": "f10"}.of); err != nil || len(got.Trials) != taken {
			t.Errorf("reuse %q: %+v, %v", reuse, got, err)
		}
	}
}

// Whoever knew the figures may have chosen what is asked of them. That isn't washed away by applying the suite once more.
func TestThatAQuestionChangedIsNotForgotten(t *testing.T) {
	c := &clock{at: time.Now()}
	s := open(t, t.TempDir(), c)
	plans := prints{"a": "f10"}
	keepManifest(t, s, shop(uidOf(1), trial(0, 0, run("a", manifest.Valid, false))))
	for i, m := range []*manifest.Manifest{shop(uidOf(2)), shop(uidOf(3)), shop(uidOf(4))} {
		c.at = c.at.Add(time.Minute)
		if i == 1 {
			m.Blocks = 1
		}
		got, err := s.Adopt(m, []string{"f10", "f20"}, nil, plans.of)
		if err != nil || got.Changed != (i >= 1) {
			t.Errorf("suite %d: %+v, %v", i+2, got, err)
		}
		m.Trials, m.Blocks = got.Trials, 2
		keepManifest(t, s, m)
	}
}

func TestASuiteTakesOverTheBaselinesOfTheEarlierOne(t *testing.T) {
	s := open(t, t.TempDir(), &clock{at: time.Now()})
	baseline := func(name string) []byte {
		return []byte(`{ "format":1, "suite":{"namespace":"team","name":"` + name + `","uid":"<&>"},"combinations":[{"labels":[],"unusable":0,"fingerprints":[{}],"workloads":[],"operations":[],"faults":[],"metrics":[]}]}`)
	}
	first := map[string]wire.BaselineAsk{"main": {Document: baseline("first")}, "other": {Document: baseline("other")}}
	pinned, err := s.Pin(earlierUID, "team", first)
	if err != nil {
		t.Fatal(err)
	}
	if same, err := s.Pin(earlierUID, "team", nil); err != nil || !reflect.DeepEqual(same, pinned) {
		t.Errorf("asked again: %+v, %v, want %+v", same, err, pinned)
	}
	keepManifest(t, s, shop(earlierUID, trial(0, 0, run("a", manifest.Valid, false))))
	later := shop(laterUID)
	bound := 0.95
	later.Objectives = []manifest.Objective{{Objective: plan.Objective{Metric: "throughput", AtLeast: &bound}, Against: "main"}}
	taken, err := s.Adopt(later, []string{"f10", "f20"}, nil, prints{"a": "f10"}.of)
	if err != nil || !reflect.DeepEqual(taken.Baselines, []string{"main"}) {
		t.Fatalf("%+v, %v", taken, err)
	}
	again, err := s.Pin(laterUID, "team", map[string]wire.BaselineAsk{"main": {Document: baseline("second")}})
	if err != nil || len(again.Baselines) != 1 || again.Baselines["main"].SHA256 != pinned.Baselines["main"].SHA256 {
		t.Errorf("%+v, %v, want %+v", again, err, pinned)
	}
}
