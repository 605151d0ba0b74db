//go:build e2e

package e2e

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/results/forward"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/cassandra"
)

var _ = Describe("Cassandra with a member killed under load", Label("stores"), func() {
	It("goes on with the quorum that is left, and loses nothing", func(ctx SpecContext) {
		run := newRun("cassandra", openLoop, killAny, func(r *v1alpha1.BenchmarkRun) {
			// What Java compiles as it goes would take the cores from the load generator.
			r.Spec.Store = v1alpha1.StoreSpec{Name: "cassandra", Nodes: 3, Mode: cassandra.ModeQuorum,
				Values: &apiextensionsv1.JSON{Raw: []byte(`{"resources":{"limits":{"cpu":"600m"}}}`)}}
			r.Spec.Workloads[0].Duration = ptr.To(v1alpha1.Duration("45s"))
			r.Spec.Workloads[0].Records = ptr.To[int64](200)
			scans := r.Spec.Workloads[0]
			scans.Name, scans.Preset, scans.Duration = "e", "E", ptr.To(v1alpha1.Duration("10s"))
			r.Spec.Workloads = append(r.Spec.Workloads, scans)
			r.Spec.Load.Rate = ptr.To[int64](20)
			r.Spec.Load.Warmup = ptr.To(v1alpha1.Duration("15s"))
		})
		found := measure(ctx, run)
		Expect(found.Store.Promise).To(BeEquivalentTo(stores.PromiseDurable))
		Expect(found.Store.Persistent).To(HaveValue(BeTrue()))
		Expect(found.Workloads).To(HaveLen(2))

		By("seeing that the member was away, and is back")
		Expect(found.Faults).To(HaveLen(1))
		fault := found.Faults[0]
		Expect(fault.Error).To(BeEmpty())
		Expect(fault.Effective).To(BeTrue())
		Expect(fault.Target).NotTo(BeEmpty())
		Expect(fault.LeaderBefore + fault.LeaderAfter).To(BeEmpty())
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
