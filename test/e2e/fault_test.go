//go:build e2e

package e2e

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

var _ = Describe("A fault that cannot be injected", Label("faults", "robustness"), func() {
	It("fails the run with the reason, in the status and in the report", func(ctx SpecContext) {
		By("taking Chaos Mesh's daemons away")
		stopDaemons(ctx)

		run := newRun("blocked", openLoop, killLeader)
		apply(ctx, run)
		awaitEnd(ctx, run, endTimeout)
		failed := expectCondition(run, v1alpha1.ConditionFailed, metav1.ConditionTrue)
		Expect(failed.Reason).To(Equal("FaultNotInjected"))
		Expect(failed.Message).To(ContainSubstring("kill-leader"))
		stalled := expectCondition(run, v1alpha1.ConditionStalled, metav1.ConditionTrue)
		Expect(stalled.Reason).To(Equal("FaultNotInjected"))

		By("finding nothing of the run in the cluster")
		expectCondition(run, v1alpha1.ConditionCleanedUp, metav1.ConditionTrue)
		expectNothingLeft(ctx, run)

		By("reading why in the report")
		found := readReport(ctx, run)
		Expect(found.Valid).To(BeFalse())
		Expect(reasons(found)).To(ContainElement("FaultNotInjected"))
		Expect(found.Faults).To(HaveLen(1))
		Expect(found.Faults[0].Error).NotTo(BeEmpty())
		Expect(found.Faults[0].OutageMicros).To(BeNil(), "a fault that was not injected has no outage")
	}, SpecTimeout(10*time.Minute))
})

// nowhere is a label that no Kubernetes node has.
const nowhere = "e2e.kvbench.io/nowhere"

// stopDaemons lets Chaos Mesh's daemons match no Kubernetes node until the spec is over.
func stopDaemons(ctx context.Context) {
	GinkgoHelper()
	patch := func(ctx context.Context, value string) {
		daemons := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "chaos-mesh", Name: "chaos-daemon"}}
		body := []byte(`{"spec":{"template":{"spec":{"nodeSelector":{"` + nowhere + `":` + value + `}}}}}`)
		Expect(k8s.Patch(ctx, daemons, client.RawPatch("application/merge-patch+json", body))).To(Succeed())
	}
	DeferCleanup(func(ctx SpecContext) {
		patch(ctx, "null")
		Eventually(daemonsReady).WithContext(ctx).WithTimeout(2 * time.Minute).Should(BeTrue())
	}, NodeTimeout(3*time.Minute))
	patch(ctx, `"true"`)
	Eventually(func(ctx context.Context) (int32, error) {
		daemons := &appsv1.DaemonSet{}
		err := k8s.Get(ctx, client.ObjectKey{Namespace: "chaos-mesh", Name: "chaos-daemon"}, daemons)
		return daemons.Status.CurrentNumberScheduled + daemons.Status.NumberMisscheduled, err
	}).WithContext(ctx).WithTimeout(2 * time.Minute).Should(BeZero())
}

func daemonsReady(ctx context.Context) (bool, error) {
	daemons := &appsv1.DaemonSet{}
	err := k8s.Get(ctx, client.ObjectKey{Namespace: "chaos-mesh", Name: "chaos-daemon"}, daemons)
	s := daemons.Status
	return s.ObservedGeneration >= daemons.Generation && s.DesiredNumberScheduled > 0 &&
		s.UpdatedNumberScheduled == s.DesiredNumberScheduled && s.NumberAvailable == s.DesiredNumberScheduled, err
}
