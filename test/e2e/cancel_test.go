//go:build e2e

package e2e

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var _ = Describe("A run under way", Label("cancel"), func() {
	It("cannot be changed, and is cancelled by its deletion", func(ctx SpecContext) {
		run := newRun("cancel", openLoop, killLeader)
		apply(ctx, run)
		await(ctx, run, started)

		By("trying to change it")
		changed := run.DeepCopy()
		changed.Spec.Store.Nodes = 5
		err := k8s.Patch(ctx, changed, client.MergeFrom(run))
		Expect(apierrors.IsInvalid(err)).To(BeTrue(), "%v", err)
		Expect(err.Error()).To(ContainSubstring("spec cannot be changed"))

		By("deleting it")
		Expect(holdsSlot(ctx, run)).To(BeTrue(), "a run under way has its turn")
		Expect(leftovers(ctx, run)).NotTo(BeEmpty(), "a run under way has no objects: the check of what is left would prove nothing")
		remove(ctx, run)
		expectNothingLeft(ctx, run)

		By("finding that it is the next one's turn")
		expectSlotFree(ctx, run)
	}, SpecTimeout(measureTimeout))
})
