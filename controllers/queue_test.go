package controllers

import (
	"testing"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

func TestWhoWaitsForATurn(t *testing.T) {
	cases := []struct {
		name string
		seen *observed
		want bool
	}{
		{"a run that nobody has looked at", given(), true},
		{"a queued one", given(condition(v1alpha1.ConditionAccepted, "Unknown", "Queued", 0)), true},
		{"one whose turn it is", given(accepted), false},
		{"a refused one", given(condition(v1alpha1.ConditionAccepted, "False", "UnknownStore", 0), condition(v1alpha1.ConditionFailed, "True", "UnknownStore", 0)), false},
		{"a deleted one", given(deleting), false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := waits(c.seen.Run); got != c.want {
				t.Errorf("waits = %v, want %v", got, c.want)
			}
		})
	}
}
