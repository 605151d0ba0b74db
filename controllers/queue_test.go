package controllers

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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

func TestHowLongARunThatIsNotAdmittedIsWaitedFor(t *testing.T) {
	for name, apiServer := range map[string]time.Duration{"in step": 0, "an hour ahead": time.Hour, "an hour behind": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			r := &Reconciler{}
			run := given().Run
			run.CreationTimestamp = metav1.NewTime(epoch.Add(apiServer))
			for after, want := range map[time.Duration]bool{0: true, admitGrace - time.Second: true, admitGrace: false} {
				r.unadmitted.since(run.UID, epoch)
				if got := r.counts(run, epoch.Add(after)); got != want {
					t.Errorf("after %s it counts: %v", after, got)
				}
			}
			run.Status.PlanSHA256 = "5e"
			if !r.counts(run, epoch.Add(24*time.Hour)) {
				t.Error("one that was admitted no longer counts")
			}
		})
	}
}
