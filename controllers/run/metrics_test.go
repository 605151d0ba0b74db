package run

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/internal/faults"
)

func TestTheControllerTellsOfRunsAndFaults(t *testing.T) {
	measuringRun := statetest.Given(statetest.Measuring(40*time.Second), statetest.WithFault, statetest.FaultIs(v1alpha1.FaultStatus{
		State: v1alpha1.FaultInjected, Target: "m-1", InjectedAfterUnixNanos: 1_500_000_000_000_000_000,
	}, faults.State{})).Run
	measuringRun.Status.Phase = "Measuring"
	ended := statetest.Given(statetest.Reported, statetest.Condition(v1alpha1.ConditionComplete, "True", "Finished", 0),
		statetest.Condition(v1alpha1.ConditionValid, "True", "Valid", 0),
		statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultHealed}, faults.State{})).Run
	ended.Name, ended.Status.Phase, ended.Status.CompletionTime = "ended", "Complete", &metav1.Time{Time: time.Unix(1_600_000_000, 0)}
	reader := fake.NewClientBuilder().WithScheme(controllers.Scheme()).WithObjects(measuringRun, ended).WithStatusSubresource(measuringRun).Build()
	id := `kvbench_io_run="` + names.RunID(measuringRun) + `",run_namespace="bench"`
	want := `
# HELP kvbench_fault_active 1 while a fault of a run that is under way is at work: from the request until it is healed, or a kill is done.
# TYPE kvbench_fault_active gauge
kvbench_fault_active{fault="kill",` + id + `,target="m-1"} 0
# HELP kvbench_fault_injected_timestamp_seconds When a fault of a run that is under way was injected, in Unix time.
# TYPE kvbench_fault_injected_timestamp_seconds gauge
kvbench_fault_injected_timestamp_seconds{fault="kill",` + id + `,target="m-1"} 1.5e+09
# HELP kvbench_run_completion_timestamp_seconds When a BenchmarkRun ended, in Unix time, for the newest 100, with the status of its conditions Valid and Passed.
# TYPE kvbench_run_completion_timestamp_seconds gauge
kvbench_run_completion_timestamp_seconds{kvbench_io_run="` + names.RunID(ended) + `",passed="None",phase="Complete",run="ended",run_namespace="bench",valid="True"} 1.6e+09
# HELP kvbench_run_under_way 1 for each BenchmarkRun that has its turn.
# TYPE kvbench_run_under_way gauge
kvbench_run_under_way{kvbench_io_run="` + names.RunID(measuringRun) + `",phase="Measuring",run="run",run_namespace="bench"} 1
# HELP kvbench_run_verdicts BenchmarkRuns that ended, by what their conditions Valid and Passed say; None where a run has no such condition.
# TYPE kvbench_run_verdicts gauge
kvbench_run_verdicts{passed="None",valid="True"} 1
# HELP kvbench_runs BenchmarkRuns by phase.
# TYPE kvbench_runs gauge
kvbench_runs{phase="Complete"} 1
kvbench_runs{phase="Measuring"} 1
`
	if err := testutil.CollectAndCompare(NewMetrics(reader), strings.NewReader(want)); err != nil {
		t.Error(err)
	}
}

func TestOnlyTheNewestRunsThatEndedHaveASeries(t *testing.T) {
	var runs []*v1alpha1.BenchmarkRun
	for i := range mostCompleted + 5 {
		run := &v1alpha1.BenchmarkRun{}
		run.Status.CompletionTime = &metav1.Time{Time: time.Unix(int64(i), 0)}
		runs = append(runs, run)
	}
	kept := newest(runs)
	if len(kept) != mostCompleted || kept[0].Status.CompletionTime.Unix() != mostCompleted+4 || kept[mostCompleted-1].Status.CompletionTime.Unix() != 5 {
		t.Errorf("%d runs, from %s to %s", len(kept), kept[0].Status.CompletionTime, kept[len(kept)-1].Status.CompletionTime)
	}
}

func TestAFaultIsActiveFromItsRequestUntilItIsHealed(t *testing.T) {
	const asked = 1_500_000_000_000_000_000
	for _, c := range []struct {
		name, action string
		fault        v1alpha1.FaultStatus
		want         string // of each target; "" is none
	}{
		{"a partition that is asked for", "Partition", v1alpha1.FaultStatus{State: v1alpha1.FaultIntended, InjectedAfterUnixNanos: asked}, "1"},
		{"one that nobody asked for yet", "Partition", v1alpha1.FaultStatus{State: v1alpha1.FaultIntended}, ""},
		{"a partition that is injected", "Partition", v1alpha1.FaultStatus{State: v1alpha1.FaultInjected, InjectedAfterUnixNanos: asked}, "1"},
		{"one that ended by itself", "Partition", v1alpha1.FaultStatus{State: v1alpha1.FaultInjected, InjectedAfterUnixNanos: asked, EndedBeforeUnixNanos: asked + 1}, "0"},
		{"one that is healed", "Partition", v1alpha1.FaultStatus{State: v1alpha1.FaultHealed, InjectedAfterUnixNanos: asked}, "0"},
		{"a kill that is done", "PodKill", v1alpha1.FaultStatus{State: v1alpha1.FaultInjected, InjectedAfterUnixNanos: asked}, "0"},
		{"one that was not injected", "PodKill", v1alpha1.FaultStatus{State: v1alpha1.FaultNotInjected, InjectedAfterUnixNanos: asked}, ""},
	} {
		c.fault.Targets = []string{"m-1", "m-2"}
		run := statetest.Given(statetest.Measuring(40*time.Second), statetest.WithFault, statetest.FaultIs(c.fault, faults.State{})).Run
		run.Spec.Faults = []v1alpha1.FaultSpec{{Name: "kill", Action: c.action}}
		reader := fake.NewClientBuilder().WithScheme(controllers.Scheme()).WithObjects(run).Build()
		want := ""
		if c.want != "" {
			want = "# HELP kvbench_fault_active 1 while a fault of a run that is under way is at work: from the request until it is healed, or a kill is done.\n" +
				"# TYPE kvbench_fault_active gauge\n"
			for _, target := range c.fault.Targets {
				want += `kvbench_fault_active{fault="kill",kvbench_io_run="` + names.RunID(run) + `",run_namespace="bench",target="` + target + `"} ` + c.want + "\n"
			}
		}
		if err := testutil.CollectAndCompare(NewMetrics(reader), strings.NewReader(want), "kvbench_fault_active"); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
