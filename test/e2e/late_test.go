//go:build e2e

package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/report"
)

var _ = Describe("A controller that is away when a fault is due", Label("faults", "robustness"), func() {
	It("injects it late, and the report says so", func(ctx SpecContext) {
		run := newRun("late", openLoop, killLeader, seconds(40))
		run.Spec.Faults[0].At = "10s"
		apply(ctx, run)
		start := awaitStart(ctx, run)
		until(ctx, start, openLoopWarmup+5*time.Second)
		stopController(ctx)
		until(ctx, start, openLoopWarmup+15*time.Second)
		startController(ctx)
		awaitEnd(ctx, run, endTimeout)
		expectCondition(run, v1alpha1.ConditionComplete, metav1.ConditionTrue)
		expectNothingLeft(ctx, run)
		found := readReport(ctx, run)
		Expect(found.Faults[0].Late).To(BeTrue())
		late := injectedAt(found.Faults[0]) - 10*time.Second
		AddReportEntry("late by", late.String())
		Expect(late).To(And(BeNumerically(">", 5*time.Second), BeNumerically("<", 20*time.Second)))
		Expect(found.Faults[0].Effective).To(BeTrue())
		expectEverySecond(found, 40)
	}, SpecTimeout(8*time.Minute))

	It("leaves it out when it no longer fits, and names it", func(ctx SpecContext) {
		run := newRun("missed", openLoop, killLeader, seconds(60))
		run.Spec.Faults[0].At = "10s"
		apply(ctx, run)
		start := awaitStart(ctx, run)
		until(ctx, start, openLoopWarmup+5*time.Second)
		stopController(ctx)
		until(ctx, start, openLoopWarmup+35*time.Second)
		startController(ctx)
		awaitEnd(ctx, run, endTimeout)
		failed := expectCondition(run, v1alpha1.ConditionFailed, metav1.ConditionTrue)
		Expect(failed.Reason).To(Equal("FaultNotInjected"))
		Expect(failed.Message).To(ContainSubstring("kill-leader"))
		expectNothingLeft(ctx, run)
		found := readReport(ctx, run)
		Expect(reasons(found)).To(ContainElement("FaultNotInjected"))
		Expect(found.Faults[0].InjectedAt).To(BeNil())
	}, SpecTimeout(8*time.Minute))
})

// injectedAt is when the fault was injected at the latest, from the measurement's start.
func injectedAt(fault report.Fault) time.Duration {
	GinkgoHelper()
	Expect(fault.InjectedAt).NotTo(BeNil())
	return time.Duration(fault.InjectedAt.Before.SinceStartMicros) * time.Microsecond
}

var _ = Describe("A worker that is evicted", Label("robustness"), func() {
	It("fails the run, which says so", func(ctx SpecContext) {
		run := newRun("evicted", openLoop)
		apply(ctx, run)
		start := awaitStart(ctx, run)
		until(ctx, start, 10*time.Second)
		pod := onePod(ctx, namespace, worker(run, "0"))
		Expect(clients.PolicyV1().Evictions(namespace).Evict(ctx, &policyv1.Eviction{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: pod.Name},
		})).To(Succeed())
		awaitEnd(ctx, run, endTimeout)
		failed := expectCondition(run, v1alpha1.ConditionFailed, metav1.ConditionTrue)
		AddReportEntry("message", failed.Message)
		Expect(failed.Reason).To(Equal("MeasurementLost"))
		Expect(failed.Message).To(And(ContainSubstring(pod.Name), MatchRegexp("(?i)evict")))
		expectCondition(run, v1alpha1.ConditionValid, metav1.ConditionFalse)
		expectNothingLeft(ctx, run)
	}, SpecTimeout(5*time.Minute))
})
