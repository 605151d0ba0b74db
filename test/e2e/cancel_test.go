//go:build e2e

package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

var _ = Describe("A run under way", Label("cancel"), func() {
	It("cannot be changed, and is cancelled by its deletion", func(ctx SpecContext) {
		run := newRun("cancel", openLoop, killLeader)
		apply(ctx, run)
		Eventually(func() (bool, error) {
			err := k8s.Get(ctx, client.ObjectKeyFromObject(run), run)
			return len(run.Status.Workloads) > 0 && run.Status.Workloads[0].StartedAtUnixNanos != 0, err
		}).WithContext(ctx).WithTimeout(endTimeout).Should(BeTrue(), "the measurement did not start")

		By("trying to change it")
		changed := run.DeepCopy()
		changed.Spec.Store.Nodes = 5
		err := k8s.Patch(ctx, changed, client.MergeFrom(run))
		Expect(apierrors.IsInvalid(err)).To(BeTrue(), "%v", err)
		Expect(err.Error()).To(ContainSubstring("spec cannot be changed"))

		By("deleting it")
		Expect(leftovers(ctx, run)).NotTo(BeEmpty(), "a run under way has no objects: the check of what is left would prove nothing")
		remove(ctx, run)
		expectNothingLeft(ctx, run)

		By("doing the next one, whose turn it is at once")
		next := newRun("next", func(r *v1alpha1.BenchmarkRun) { r.Spec.Store.Nodes = 1 })
		apply(ctx, next)
		awaitEnd(ctx, next, endTimeout)
		Expect(holds(next, v1alpha1.ConditionComplete)).To(BeTrue(), "%s", conditions(next))
	}, SpecTimeout(10*time.Minute))
})
