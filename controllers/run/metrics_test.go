package run

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
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
		statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultHealed}, faults.State{})).Run
	ended.Name, ended.Status.Phase = "ended", "Complete"
	reader := fake.NewClientBuilder().WithScheme(controllers.Scheme()).WithObjects(measuringRun, ended).WithStatusSubresource(measuringRun).Build()
	want := `
# HELP kvbench_fault_injected_timestamp_seconds When a fault of a run that is under way was injected, in Unix time.
# TYPE kvbench_fault_injected_timestamp_seconds gauge
kvbench_fault_injected_timestamp_seconds{fault="kill",kvbench_io_run="` + names.RunID(measuringRun) + `",run_namespace="bench",target="m-1"} 1.5e+09
# HELP kvbench_runs BenchmarkRuns by phase.
# TYPE kvbench_runs gauge
kvbench_runs{phase="Complete"} 1
kvbench_runs{phase="Measuring"} 1
`
	if err := testutil.CollectAndCompare(NewMetrics(reader), strings.NewReader(want)); err != nil {
		t.Error(err)
	}
}
