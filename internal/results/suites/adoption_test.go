package suites

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

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

func (p prints) of(uid string) (string, error) { return p[uid], nil }

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
		"a combination that has another place by now": {
			[]manifest.Trial{trial(0, 0, run("a", valid, false))}, prints{"a": "f10"}, []string{"f20", "f10"},
			[]manifest.Trial{trial(0, 1, run("a", valid, true))},
		},
		"a run once, where two combinations measure the same": {
			[]manifest.Trial{trial(0, 0, run("a", valid, false))}, prints{"a": "f10"}, []string{"f10", "f10"},
			[]manifest.Trial{trial(0, 0, run("a", valid, true))},
		},
		"a failure of a combination whose plan others have": {
			[]manifest.Trial{trial(0, 0, run("a", valid, false)), trial(1, 0, run("b", failed, false))}, prints{"a": "f10"}, []string{"f10", "f20"},
			[]manifest.Trial{trial(0, 0, run("a", valid, true)), trial(1, 0, run("b", failed, true))},
		},
		"no failure whose plan nobody knows": {
			[]manifest.Trial{trial(0, 0, run("a", failed, false))}, prints{}, []string{"f10", "f20"}, nil,
		},
	} {
		t.Run(what, func(t *testing.T) {
			s := open(t, t.TempDir(), &clock{at: time.Now()})
			keepManifest(t, s, shop(earlierUID, c.trials...))
			got, err := s.Adopt(shop(laterUID), c.asked, c.plans.of)
			if err != nil || !reflect.DeepEqual(got.Trials, c.want) {
				t.Fatalf("%+v, %v", got, err)
			}
			if adopted := len(c.want) > 0; adopted && (got.Suite != earlierUID || got.Seed != 7) || !adopted && got.Suite != "" {
				t.Errorf("%+v", got)
			}
			if again, err := s.Adopt(shop(laterUID), nil, prints{}.of); err != nil || !reflect.DeepEqual(again, got) {
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
	got, err := s.Adopt(shop(uidOf(4)), []string{"f10", "f20"}, plans.of)
	if err != nil || got.Suite != uidOf(1) || got.Changed {
		t.Fatalf("%+v, %v", got, err)
	}
	asks := shop(uidOf(5))
	asks.Compare.Metrics = []string{"p99"}
	c.at = c.at.Add(-time.Hour) // the fourth is no longer the last
	if got, err = s.Adopt(asks, []string{"f10", "f20"}, plans.of); err != nil || !got.Changed {
		t.Errorf("a suite that compares something else: %+v, %v", got, err)
	}
}
