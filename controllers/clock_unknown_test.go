package controllers

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/faults"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/compute"
)

// The time of an injection, and the last comparison, are waited for, named, and not for ever.
// What is not known then, the report does not believe.
func TestAMeasurementsEndWaitsForTheServersTime(t *testing.T) {
	away := errors.New("connection refused")
	done := job("measure-a", jobState{Complete: true})
	after := epoch.Add(-40 * time.Second).UnixNano()
	intended := faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultIntended, Target: "m-1", InjectedAfterUnixNanos: after}, faults.State{Exists: true, Injected: true})
	healed := faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultHealed, Target: "m-1", InjectedAfterUnixNanos: after, InjectedBeforeUnixNanos: after + 1, ClockBoundNanos: 5e6}, faults.State{})
	unknown := func(o *observed) { o.ServerNow = time.Time{} }
	for _, c := range []struct {
		name   string
		seen   *observed
		state  string
		before int64 // of the injection
	}{
		{"an injection that was not noted", given(measuring(80*time.Second), withFault, intended, done, unknown), v1alpha1.FaultInjected, epoch.Add(-10 * time.Second).UnixNano()},
		{"the last comparison", given(measuring(80*time.Second), withFault, healed, done), v1alpha1.FaultHealed, after + 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := c.seen
			seen := &clocks{local: epoch, away: away}
			r := &Reconciler{Direct: pastCache{}, Results: seen, time: serverTime{localNow: func() time.Time { return seen.local }}}
			pass := func() {
				t.Helper()
				if _, err := pass(t, r, o); err != nil && !errors.Is(err, away) {
					t.Fatal(err)
				}
			}
			before := o.Run.DeepCopy()
			pass()
			noted := *workloadCondition(o.Run, "a", v1alpha1.ConditionMeasured)
			if noted.Status != "Unknown" || noted.Reason != reasonClockUnknown {
				t.Fatalf("the condition is %+v", noted)
			}
			if told := story(before, o.Run); len(told) != 1 || told[0].Type != "Warning" || told[0].Reason != reasonClockUnknown {
				t.Errorf("told is %+v", told)
			}
			o.Now = noted.LastTransitionTime.Add(clockDeadline - time.Second)
			pass()
			if isTrue(o.Run, conditionFailing) {
				t.Fatal("it fails before the deadline")
			}
			o.Now = noted.LastTransitionTime.Add(clockDeadline + time.Second)
			pass()
			failing := meta.FindStatusCondition(o.Run.Status.Conditions, conditionFailing)
			if failing == nil || failing.Reason != reasonClockUnknown || !strings.Contains(failing.Message, noted.Message) {
				t.Fatalf("after the deadline it is failing with %+v", failing)
			}
			if fault := findFault(o.Run, "kill"); fault.State != c.state || fault.InjectedBeforeUnixNanos != c.before {
				t.Errorf("the fault is %+v, want it %s, before %d", fault, c.state, c.before)
			}
			if got := reasonsReported(t, o); !slices.Contains(got, report.ClockUncertain) || slices.Contains(got, report.FileCorrupt) {
				t.Errorf("the report's reasons are %v", got)
			}
		})
	}
}

// A run fails for what was tried in vain, not for the time that went by without an attempt.
func TestAnUnknownClockIsAskedForBeforeARunFails(t *testing.T) {
	notedAgo := func(ago time.Duration) situation {
		return func(o *observed) {
			workloadAt("a", v1alpha1.ConditionMeasured)(o)
			noted := workloadCondition(o.Run, "a", v1alpha1.ConditionMeasured)
			noted.Status, noted.Reason, noted.LastTransitionTime = "Unknown", reasonClockUnknown, metav1.NewTime(epoch.Add(-ago))
		}
	}
	began := func(ago time.Duration) situation { return func(o *observed) { o.Began = epoch.Add(-ago) } }
	unknown := func(o *observed) { o.ServerNow = time.Time{} }
	stays := faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{Exists: true, RefusedSince: epoch.Add(-time.Minute)})
	healed := faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultHealed}, faults.State{})
	for _, c := range []struct {
		name   string
		change []situation
		want   verb
	}{
		{"tried all the time", []situation{notedAgo(6 * time.Minute), began(time.Hour), unknown, healed}, doFail},
		{"the controller was away", []situation{notedAgo(time.Hour), began(time.Second), unknown, healed}, doWait},
		{"and has tried since", []situation{notedAgo(time.Hour), began(6 * time.Minute), unknown, healed}, doFail},
		{"it is known again, and a fault stays", []situation{notedAgo(6 * time.Minute), began(time.Hour), stays}, doSetWorkload},
		{"it is known again", []situation{notedAgo(6 * time.Minute), began(time.Hour), healed}, doSetWorkload},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := given(append([]situation{measuring(10 * time.Minute), withFault, job("measure-a", jobState{Complete: true})}, c.change...)...)
			if got := decide(o); got.Verb != c.want {
				t.Errorf("decide = %s %s %s, want %s", got.Verb, got.Reason, got.Message, c.want)
			}
		})
	}
}

// reasonsReported are those of a report on what the controller says of the faults, and nothing
// else.
func reasonsReported(t *testing.T, o *observed) (reasons []string) {
	t.Helper()
	lines, err := faultLines(o)
	must(t, err)
	document, err := json.Marshal(o.Plan)
	must(t, err)
	made, err := compute.FromBundle(fstest.MapFS{bundle.PlanFile: {Data: document}, bundle.FaultsFile: {Data: lines}})
	must(t, err)
	for _, reason := range made.InvalidReasons {
		reasons = append(reasons, reason.Reason)
	}
	return reasons
}
