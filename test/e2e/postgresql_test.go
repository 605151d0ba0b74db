//go:build e2e

package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/results/forward"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/postgresql"
)

// longestReturn bounds the start of a container, the recovery of its data, and the standbys'
// return.
const longestReturn = 18 * time.Second

var _ = Describe("PostgreSQL with its primary killed under load", Label("stores"), func() {
	It("is away until the primary is back with all that it acknowledged", func(ctx SpecContext) {
		run := newRun("postgresql", openLoop, killLeader, seconds(30), func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Store = v1alpha1.StoreSpec{Name: "postgresql", Nodes: 3, Mode: postgresql.ModeSync}
			scans := r.Spec.Workloads[0]
			scans.Name, scans.Preset, scans.Duration = "e", "E", ptr.To(v1alpha1.Duration("5s"))
			r.Spec.Workloads = append(r.Spec.Workloads, scans)
		})
		found := measure(ctx, run)
		Expect(found.Store.Promise).To(BeEquivalentTo(stores.PromiseLinearizable))
		Expect(found.Store.Persistent).To(HaveValue(BeTrue()))
		Expect(found.Store.Consensus).To(BeFalse())
		Expect(found.Workloads).To(HaveLen(2))

		By("seeing no other leader, and an outage until the primary is back")
		Expect(found.Faults).To(HaveLen(1))
		fault := found.Faults[0]
		Expect(fault.Error).To(BeEmpty())
		Expect(fault.Effective).To(BeTrue())
		Expect(fault.Target).To(HaveSuffix("-0"))
		Expect(fault.LeaderBefore).To(Equal(fault.Target))
		Expect(fault.LeaderAfter).To(Equal(fault.Target))
		Expect(fault.TermAfter).To(Equal(fault.TermBefore))
		Expect(fault.OutageMicros).NotTo(BeNil())
		Expect(time.Duration(*fault.OutageMicros) * time.Microsecond).To(BeNumerically(">", 100*time.Millisecond))
		Expect(time.Duration(*fault.OutageMicros) * time.Microsecond).To(BeNumerically("<", longestReturn))
		Expect(fault.OutageCensored).To(BeFalse())
		Expect(fault.HealedAt).NotTo(BeNil())

		By("missing none of the records, and scanning them")
		for _, measured := range found.Workloads {
			Expect(measured.Throughput).To(BeNumerically(">", 0))
			for _, failure := range measured.Errors {
				Expect(failure.Code).NotTo(Equal(stores.CodeNotFound), "%+v", failure)
			}
		}

		By("checking the report against its schema")
		expectSchema(download(ctx, openResults(ctx), run, forward.Report))
	}, SpecTimeout(measureTimeout))
})
