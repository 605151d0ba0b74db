package frame

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/results/wire"
)

func yes(conditions ...string) (all []metav1.Condition) {
	for _, c := range conditions {
		all = append(all, metav1.Condition{Type: c, Status: metav1.ConditionTrue, Reason: "R", Message: "m"})
	}
	return all
}

// runOf is a run of the workloads a, for 60 s with a fault, and b, of which a has these conditions.
func runOf(ofRun, ofA []metav1.Condition) *v1alpha1.BenchmarkRun {
	return &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Name: "r"},
		Spec: v1alpha1.BenchmarkRunSpec{
			Store:     v1alpha1.StoreSpec{Name: "etcd", Nodes: 3},
			Workloads: []v1alpha1.WorkloadSpec{{Name: "a"}, {Name: "b"}},
			Faults:    []v1alpha1.FaultSpec{{Name: "kill", Action: "pod-kill", At: "20s"}},
		},
		Status: v1alpha1.BenchmarkRunStatus{Phase: "P", Conditions: ofRun, Workloads: []v1alpha1.WorkloadStatus{{Name: "a", Conditions: ofA}}},
	}
}

func TestTheStepsOfARun(t *testing.T) {
	for _, c := range []struct {
		what       string
		ofRun, ofA []metav1.Condition
		want       string // the letters of the states, and the workload
	}{
		{"nothing known", nil, nil, "CWWWWWWW a"},
		{"accepted", yes("Accepted"), nil, "DCWWWWWW a"},
		{"the store is ready", yes("Accepted", "StoreReady"), nil, "DDCWWWWW a"},
		{"loaded", yes("Accepted", "StoreReady"), yes("Loaded"), "DDDCWWWW a"},
		{"measuring", yes("Accepted", "StoreReady"), yes("Loaded", "Armed"), "DDDDCWWW a"},
		{"healing", yes("Accepted", "StoreReady"), yes("Loaded", "Armed", "Measured"), "DDDDDCWW a"},
		// b has no faults, and so no step for them.
		{"the next workload", yes("Accepted", "StoreReady"), yes("Loaded", "Armed", "Measured", "FaultsHealed"), "DDCWWWW b"},
		{"refused", yes("Failed"), nil, "FWWWWWWC a"},
		{"the store failed, and what is left is removed", yes("Accepted", "FailureTarget"), nil, "DFWWWWWC a"},
		{"failed, and all is removed", yes("Accepted", "Failed", "CleanedUp"), nil, "DFWWWWWD a"},
	} {
		t.Run(c.what, func(t *testing.T) {
			told := OfRun(runOf(c.ofRun, c.ofA), nil, nil)
			letters := ""
			for _, s := range told.Steps {
				letters += s.State[:1]
			}
			if got := letters + " " + told.Workload; got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestAllStepsOfARunThatIsCompleteAreDone(t *testing.T) {
	run := runOf(yes("Accepted", "StoreReady", "Reported", "CleanedUp", "Complete"), nil)
	for _, name := range []string{"a", "b"} {
		run.Status.Workloads = append(run.Status.Workloads, v1alpha1.WorkloadStatus{Name: name, Conditions: yes("Loaded", "Armed", "Measured", "FaultsHealed")})
	}
	run.Status.Workloads = run.Status.Workloads[1:]
	told := OfRun(run, &wire.Live{Workload: "b", Recent: []int64{1}}, nil)
	for _, s := range told.Steps {
		if s.State != Done {
			t.Errorf("%s is %s", s.Name, s.State)
		}
	}
	if told.Load != nil {
		t.Errorf("a run that is complete still measures: %+v", told.Load)
	}
}

func TestMoreThanAServerMayTellIsLeftOut(t *testing.T) {
	run := runOf(yes("Accepted", "StoreReady"), yes("Loaded", "Armed"))
	run.Status.Workloads[0].StartedAtUnixNanos = 1
	told := OfRun(run, &wire.Live{Workload: "a", Recent: make([]int64, 1000), Members: make([]wire.LiveMember, 1000)}, nil)
	if len(told.Load.Figures.Recent) != wire.RecentSeconds || len(told.Members) > 16 {
		t.Errorf("%d seconds and %d members", len(told.Load.Figures.Recent), len(told.Members))
	}
}

func TestWhatARunWaitsFor(t *testing.T) {
	unknown := metav1.Condition{Type: "Loaded", Status: metav1.ConditionUnknown, Reason: "PodPending", Message: "no node"}
	steps := metav1.Condition{Type: "Loaded", Status: metav1.ConditionUnknown, Reason: "P", Message: "the phase says it"}
	for _, c := range []struct {
		what       string
		ofRun, ofA []metav1.Condition
		want       string
	}{
		{"nothing", yes("Accepted"), nil, ""},
		{"a workload's pods", yes("Accepted"), []metav1.Condition{unknown}, "PodPending: no node"},
		{"what the phase says", yes("Accepted"), []metav1.Condition{steps}, ""},
		{"its own failure", yes("FailureTarget"), []metav1.Condition{unknown}, "R: m"},
	} {
		if got := OfRun(runOf(c.ofRun, c.ofA), nil, nil).Waiting; got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

func TestFaultsArePlannedUntilTheStatusHasThem(t *testing.T) {
	run := runOf(nil, nil)
	if f := OfRun(run, nil, nil).Faults; len(f) != 1 || f[0].State != Planned || f[0].Workload != "a" || f[0].At != "20s" {
		t.Errorf("%+v", f)
	}
	run.Status.Faults = []v1alpha1.FaultStatus{{Name: "kill", State: v1alpha1.FaultInjected, Target: "etcd-1"}}
	if f := OfRun(run, nil, nil).Faults; f[0].State != v1alpha1.FaultInjected || !slices.Equal(f[0].Targets, []string{"etcd-1"}) {
		t.Errorf("%+v", f)
	}
}

func TestTheLastEventsComeFirst(t *testing.T) {
	at := func(seconds int64) time.Time { return time.Unix(seconds, 0) }
	list := []corev1.Event{
		{Reason: "old", EventTime: metav1.NewMicroTime(at(10))},
		{Reason: "repeated", EventTime: metav1.NewMicroTime(at(5)), Series: &corev1.EventSeries{LastObservedTime: metav1.NewMicroTime(at(40))}},
		{Reason: "legacy", LastTimestamp: metav1.NewTime(at(30)), Type: corev1.EventTypeWarning},
		{Reason: "bare", ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(at(20))}},
	}
	var order []string
	for _, e := range EventsOf(list) {
		order = append(order, e.Reason)
		if e.Warning != (e.Reason == "legacy") {
			t.Errorf("%s: warning %t", e.Reason, e.Warning)
		}
	}
	if strings.Join(order, " ") != "repeated legacy bare old" {
		t.Error(order)
	}
	if got := EventsOf(make([]corev1.Event, 100)); len(got) != MaxEvents {
		t.Errorf("%d events", len(got))
	}
}

func TestAWorkloadHasTheLongestOutageOfItsFaults(t *testing.T) {
	fault := func(name, workload string) v1alpha1.FaultSpec {
		return v1alpha1.FaultSpec{Name: name, Workload: workload}
	}
	run := &v1alpha1.BenchmarkRun{Spec: v1alpha1.BenchmarkRunSpec{Faults: []v1alpha1.FaultSpec{fault("a", "w"), fault("b", "w"), fault("c", "x"), fault("d", "y"), fault("e", "z")}}}
	if got := longestOutage(run, "w"); got != "" {
		t.Errorf("before the report: %q", got)
	}
	run.Status.Summary = &v1alpha1.Summary{Faults: []v1alpha1.FaultSummary{{Name: "a", OutageMicros: 2_000_000}, {Name: "b", OutageMicros: 1_000_000, OutageCensored: true},
		{Name: "c", OutageMicros: 9_000_000}, {Name: "d"}}}
	for workload, want := range map[string]string{"w": ">2.000 s", "x": "9.000 s", "y": "none", "z": "", "none": ""} {
		if got := longestOutage(run, workload); got != want {
			t.Errorf("workload %s: %q, want %q", workload, got, want)
		}
	}
}
