//go:build e2e

package e2e

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/results/forward"
	"github.com/kvbench/kvbench/internal/stores"
)

var _ = Describe("memcached with a member killed under load", Label("memcached"), func() {
	It("is without that member's records, and the report says how many", func(ctx SpecContext) {
		run := newRun("memcached", openLoop, killAny, func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Store = v1alpha1.StoreSpec{Name: "memcached", Nodes: 3}
		})
		found := measure(ctx, run)
		Expect(found.Store.Promise).To(BeEquivalentTo(stores.PromiseNone))
		Expect(found.Store.Persistent).To(HaveValue(BeFalse()))
		measured := found.Workloads[0]
		Expect(measured.Throughput).To(BeNumerically(">", 50), "half of the rate")
		Expect(measured.Loading.Records).To(BeEquivalentTo(1000))

		By("counting what went with the member")
		Expect(found.Faults).To(HaveLen(1))
		fault := found.Faults[0]
		Expect(fault.Error).To(BeEmpty())
		Expect(fault.Effective).To(BeTrue())
		Expect(fault.Target).NotTo(BeEmpty())
		Expect(fault.LeaderBefore + fault.LeaderAfter).To(BeEmpty())
		Expect(fault.HealedAt).NotTo(BeNil())
		// A third of the records, by the hash of their keys.
		Expect(fault.RecordsBefore).NotTo(BeNil())
		Expect(*fault.RecordsBefore).To(BeNumerically("~", 333, 80))
		Expect(fault.RecordsLost).NotTo(BeNil())
		Expect(*fault.RecordsLost).To(BeNumerically(">", *fault.RecordsBefore/2))
		Expect(*fault.RecordsLost).To(BeNumerically("<=", *fault.RecordsBefore))

		By("finding reads of them that brought nothing")
		var missed int64
		for _, failure := range measured.Errors {
			if failure.Operation == "READ" && failure.Code == stores.CodeNotFound {
				missed += failure.Count
			}
		}
		Expect(missed).To(BeNumerically(">", 0), "%+v", measured.Errors)

		By("checking the report against its schema")
		expectSchema(download(ctx, openResults(ctx), run, forward.Report))
	}, SpecTimeout(measureTimeout))
})
