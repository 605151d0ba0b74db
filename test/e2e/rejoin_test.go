//go:build e2e

package e2e

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/results/forward"
	"github.com/kvbench/kvbench/internal/stores"
)

var _ = Describe("A member of etcd that lost its data with its pod", Label("stores"), func() {
	It("is taken in anew, and no record is lost", func(ctx SpecContext) {
		run := newRun("rejoin", openLoop, killLeader, func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Store.Storage.Ephemeral = true
			r.Spec.Faults[0].Action = "PodKill"
		})
		found := measure(ctx, run)
		expectValid(run, found)
		Expect(found.Faults).To(HaveLen(1))
		fault := found.Faults[0]
		Expect(fault.Error).To(BeEmpty())
		Expect(fault.Target).To(Equal(fault.LeaderBefore))
		Expect(fault.HealedAt).NotTo(BeNil())
		Expect(fault.OutageMicros).NotTo(BeNil())

		By("reading of it in the report")
		Expect(found.Repairs).To(HaveLen(1))
		Expect(found.Repairs[0].What).To(HavePrefix(fault.Target + " was taken in anew"))
		for _, failure := range found.Workloads[0].Errors {
			Expect(failure.Code).NotTo(Equal(stores.CodeNotFound), "%+v", failure)
		}
		expectSchema(download(ctx, openResults(ctx), run, forward.Report))
	}, SpecTimeout(measureTimeout))
})
