package follow

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/results/wire"
)

func runAt(phase string, faults ...v1alpha1.FaultStatus) *v1alpha1.BenchmarkRun {
	ninety := v1alpha1.Duration("90s")
	return &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Name: "r", CreationTimestamp: metav1.Unix(1000, 0)},
		Spec:       v1alpha1.BenchmarkRunSpec{Workloads: []v1alpha1.WorkloadSpec{{Name: "a", Preset: "A", Duration: &ninety}}},
		Status:     v1alpha1.BenchmarkRunStatus{Phase: phase, Faults: faults},
	}
}

func TestDescribeShowsPhaseTimeLoadAndFaults(t *testing.T) {
	now := time.Unix(1062, 0)
	for name, c := range map[string]struct {
		run       *v1alpha1.BenchmarkRun
		live      *wire.Live
		key, line string
	}{
		"nothing known yet": {runAt(""), nil, "Pending", "  1m2s  Pending"},
		"a phase alone":     {runAt("Deploying"), nil, "Deploying", "  1m2s  Deploying"},
		"warm-up": {
			runAt("Measuring"), &wire.Live{Workload: "a", ElapsedSeconds: -3, Throughput: 998, Recent: []int64{998}}, "Measuring",
			"  1m2s  Measuring    workload a: warm-up, 3 s to go, 998 operations/s",
		},
		"measuring with errors": {
			runAt("Measuring"), &wire.Live{Workload: "a", ElapsedSeconds: 31, Throughput: 12, RecentErrors: 4, Recent: []int64{20, 12}}, "Measuring",
			"  1m2s  Measuring    workload a: 31 of 90 s, 12 operations/s, 4 errors in the last 2 s",
		},
		"the cool-down doesn't exceed the duration": {
			runAt("Measuring"), &wire.Live{Workload: "a", ElapsedSeconds: 93, Throughput: 1, Recent: []int64{1}}, "Measuring",
			"  1m2s  Measuring    workload a: 90 of 90 s, 1 operations/s",
		},
		"workers that have sent no whole second": {
			runAt("Measuring"), &wire.Live{Workload: "a", ElapsedSeconds: 1}, "Measuring",
			"  1m2s  Measuring    workload a: 1 of 90 s, no figures yet",
		},
		"workers that send nothing more": {
			runAt("Measuring"), &wire.Live{Workload: "a", ElapsedSeconds: 31, AgeMillis: 12_400, Throughput: 12, Recent: []int64{12}}, "Measuring",
			"  1m2s  Measuring    workload a: 31 of 90 s, 12 operations/s (12 s ago)",
		},
		"a fault": {
			runAt("Measuring", v1alpha1.FaultStatus{Name: "kill", State: v1alpha1.FaultInjected, Target: "r-0"}), nil,
			"Measuring fault kill injected (r-0)", "  1m2s  Measuring    fault kill injected (r-0)",
		},
		"a pod that doesn't run": {
			saying(runAt("Deploying"), condition("StoreReady", "Unknown", "ImageNotPulled", "pod r-0: ErrImagePull: no such host")), nil,
			"Deploying ImageNotPulled", "  1m2s  Deploying    ImageNotPulled: pod r-0: ErrImagePull: no such host",
		},
		"pods that merely start": {
			saying(runAt("Deploying"), condition("Accepted", "True", "Admitted", "it is this run's turn"), condition("StoreReady", "Unknown", "Deploying", "waiting")), nil,
			"Deploying", "  1m2s  Deploying",
		},
		"a loader that doesn't run": {
			loading(condition("Loaded", "Unknown", "Unschedulable", "pod l-0: too large")), nil,
			"Loading Unschedulable", "  1m2s  Loading      Unschedulable: pod l-0: too large",
		},
		"why it fails": {
			saying(runAt("Failing"), condition("StoreReady", "Unknown", "Deploying", "waiting"), condition("FailureTarget", "True", "DeployTimedOut", "0 of 3")), nil,
			"Failing DeployTimedOut", "  1m2s  Failing      DeployTimedOut: 0 of 3",
		},
	} {
		t.Run(name, func(t *testing.T) {
			key, line := describe(c.run, c.live, now)
			if key != c.key || line != c.line {
				t.Errorf("got %q, %q\nwant %q, %q", key, line, c.key, c.line)
			}
		})
	}
}

func saying(run *v1alpha1.BenchmarkRun, conditions ...metav1.Condition) *v1alpha1.BenchmarkRun {
	run.Status.Conditions = conditions
	return run
}

func loading(conditions ...metav1.Condition) *v1alpha1.BenchmarkRun {
	run := runAt("Loading")
	run.Status.Workloads = []v1alpha1.WorkloadStatus{{Name: "a", Conditions: conditions}}
	return run
}

func condition(kind string, status metav1.ConditionStatus, reason, message string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message}
}
