package controllers

import (
	"reflect"
	"testing"
	"time"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
)

func TestProgressInWords(t *testing.T) {
	for _, c := range []struct {
		name     string
		duration time.Duration // 0: it ends after so many operations
		elapsed  time.Duration
		want     string
	}{
		{"warm-up", time.Minute, -time.Second, "warm-up"},
		{"its last second", time.Minute, -time.Millisecond, "warm-up"},
		{"the beginning", time.Minute, 0, "0%"},
		{"in steps of 5 s", time.Minute, 34 * time.Second, "50%"},
		{"the cool-down", time.Minute, 64 * time.Second, "100%"},
		{"a day", 24 * time.Hour, 12 * time.Hour, "50%"},
		{"warm-up before so many operations", 0, -time.Second, "warm-up"},
		{"so many operations", 0, 59 * time.Second, "<1m"},
		{"minutes of them", 0, 125 * time.Second, "2m"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := howFar(progressAt(&plan.Workload{Name: "a", DurationMillis: c.duration.Milliseconds()}, c.elapsed)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestProgressIsNotedWhereItsWordsDiffer(t *testing.T) {
	for _, c := range []struct {
		name  string
		hours int64
		most  int
	}{{"ten hours", 10, 102}, {"so many operations", 0, 2 + 10*60}} {
		t.Run(c.name, func(t *testing.T) {
			o := given(measuring(0), asked("a"))
			o.Plan.Workloads[0].DurationMillis = c.hours * time.Hour.Milliseconds()
			notes, last := 0, ""
			for range 10 * 60 * 12 {
				before := o.Run.Status.Progress
				if err := (&Reconciler{}).progress(o, "a"); err != nil {
					t.Fatal(err)
				}
				summarize(o.Run)
				now := o.Run.Status.Progress
				if !reflect.DeepEqual(before, now) {
					notes++
					if now.Done == last {
						t.Fatalf("%q is noted again", last)
					}
					last = now.Done
				}
				o.ServerNow = o.ServerNow.Add(progressEvery)
			}
			if notes < 100 || notes > c.most {
				t.Errorf("%d notes in ten hours, want 100 to %d", notes, c.most)
			}
		})
	}
}

func TestProgressTellsOfFaults(t *testing.T) {
	o := given(measuring(40*time.Second), asked("a", "b"))
	o.Run.Spec.Faults = []v1alpha1.FaultSpec{{Name: "kill"}, {Name: "again"}, {Name: "other", Workload: "b"}}
	for _, step := range []struct {
		fault, state, want string
	}{
		{"other", v1alpha1.FaultNotInjected, "50%"},
		{"kill", v1alpha1.FaultIntended, "50%, kill intended"},
		{"kill", v1alpha1.FaultInjected, "50%, kill injected"},
		{"kill", v1alpha1.FaultHealed, "50%, kill healed"},
		{"again", v1alpha1.FaultIntended, "50%, again intended"},
	} {
		fault := ensureFault(o.Run, step.fault)
		fault.State, fault.RequestedUnixNanos = step.state, int64(len(o.Run.Status.Faults))
		if err := (&Reconciler{}).progress(o, "a"); err != nil {
			t.Fatal(err)
		}
		summarize(o.Run)
		if got := o.Run.Status.Progress.Done; got != step.want {
			t.Errorf("%s is %s: got %q, want %q", step.fault, step.state, got, step.want)
		}
	}
	workloadAt("a", v1alpha1.ConditionMeasured)(o)
	summarize(o.Run)
	if o.Run.Status.Progress != nil {
		t.Errorf("the measurement is over, and its progress is %+v", o.Run.Status.Progress)
	}
}
