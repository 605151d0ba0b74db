package faults

import (
	"maps"
	"slices"
	"testing"
)

func TestSidesAreNamedAndCompared(t *testing.T) {
	one := Sides{Targets: []string{"m-1"}}
	two := Sides{Targets: []string{"m-0", "m-1"}, Peers: []string{"m-2"}}
	for _, c := range []struct {
		sides      Sides
		sole, text string
		all        int
	}{
		{Sides{}, "", "", 0},
		{one, "m-1", "m-1", 1},
		{two, "", "m-0, m-1 against m-2", 3},
	} {
		if c.sides.Sole() != c.sole || c.sides.String() != c.text || len(c.sides.All()) != c.all {
			t.Errorf("%v: sole %q, text %q, all %v", c.sides, c.sides.Sole(), c.sides, c.sides.All())
		}
	}
	same := Sides{Targets: []string{"m-0", "m-1"}, Peers: []string{"m-2"}}
	if !two.Equal(same) || two.Equal(one) || one.Equal(Sides{Targets: []string{"m-1"}, Peers: []string{"m-2"}}) {
		t.Error("sides that differ are equal, or the other way round")
	}
}

func TestPodsOfOtherFaultsAreLeftOut(t *testing.T) {
	all := Pods{"m-0": "a", "m-1": "b", "m-2": "c"}
	got := all.Of(Sides{Targets: []string{"m-1"}, Peers: []string{"m-0", "m-3"}})
	if want := (Pods{"m-0": "a", "m-1": "b", "m-3": ""}); !maps.Equal(got, want) {
		t.Errorf("they are %v, want %v", got, want)
	}
}

func TestAPodIsReplacedByAnotherOneOfItsName(t *testing.T) {
	then := Pods{"m-0": "a", "m-1": "b", "m-2": ""}
	for name, c := range map[string]struct {
		now  Pods
		want []string
	}{
		"all are the same":      {Pods{"m-0": "a", "m-1": "b"}, nil},
		"one has another":       {Pods{"m-0": "a", "m-1": "c"}, []string{"m-1"}},
		"one is gone":           {Pods{"m-1": "b"}, []string{"m-0"}},
		"one came back":         {Pods{"m-0": "a", "m-1": "b", "m-2": "d"}, []string{"m-2"}},
		"a stranger is nothing": {Pods{"m-0": "a", "m-1": "b", "x": "y"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := then.Replaced(c.now); !slices.Equal(got, c.want) {
				t.Errorf("replaced are %v, want %v", got, c.want)
			}
		})
	}
}
