//go:build e2e

package e2e

import (
	"context"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// phases of a run that goes well, in their order.
var phases = []string{
	"Pending", "Queued", "Deploying", "Starting", "Loading", "Loaded", "Arming", "Armed", "Measuring", "Healing", "Collecting",
	"Reported", "TearingDown", "CleanedUp", "Complete",
}

// moment is a point in a run's life at which a spec does something to it.
type moment struct {
	name    string
	reached func(*v1alpha1.BenchmarkRun) bool
}

func atPhase(phase string) moment {
	return moment{phase, func(run *v1alpha1.BenchmarkRun) bool {
		return slices.Index(phases, run.Status.Phase) >= slices.Index(phases, phase)
	}}
}

var started = moment{"started", func(run *v1alpha1.BenchmarkRun) bool {
	return len(run.Status.Workloads) > 0 && run.Status.Workloads[0].StartedAtUnixNanos != 0
}}

var faultInjected = moment{"fault injected", func(run *v1alpha1.BenchmarkRun) bool {
	return len(run.Status.Faults) > 0 && run.Status.Faults[0].State == v1alpha1.FaultInjected ||
		len(run.Status.Faults) > 0 && run.Status.Faults[0].State == v1alpha1.FaultHealed
}}

// await reads the run until the moment has come.
func await(ctx context.Context, run *v1alpha1.BenchmarkRun, m moment) {
	GinkgoHelper()
	By("waiting for the moment: " + m.name)
	Eventually(func() (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(run), run)
		return m.reached(run), err
	}).WithContext(ctx).WithTimeout(endTimeout).WithPolling(50*time.Millisecond).Should(BeTrue(), "%s never came: %s", m.name, conditions(run))
}

// awaitStart waits for the run's measurement and returns when it began, warm-up included.
func awaitStart(ctx context.Context, run *v1alpha1.BenchmarkRun) time.Time {
	GinkgoHelper()
	await(ctx, run, started)
	return time.Unix(0, run.Status.Workloads[0].StartedAtUnixNanos)
}

// until waits for a time after the start of the measurement.
func until(ctx context.Context, start time.Time, after time.Duration) {
	GinkgoHelper()
	select {
	case <-ctx.Done():
		Fail("the spec ran out of time")
	case <-time.After(time.Until(start.Add(after))):
	}
}
