//go:build e2e

package e2e

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/results/forward"
	"github.com/kvbench/kvbench/internal/stores"
)

var _ = Describe("A store with backups, with a member killed under load", Label("stores"), func() {
	for _, store := range []string{"hazelcast", "ignite"} {
		It("answers for that member's records from their backups, as "+store, func(ctx SpecContext) {
			answersFromBackups(ctx, store)
		}, SpecTimeout(measureTimeout))
	}
})

func answersFromBackups(ctx context.Context, store string) {
	GinkgoHelper()
	run := newRun(store, openLoop, killAny, func(r *v1alpha1.BenchmarkRun) {
		// What Java compiles as it goes would take the cores from the load generator.
		r.Spec.Store = v1alpha1.StoreSpec{Name: store, Nodes: 3,
			Values: &apiextensionsv1.JSON{Raw: []byte(`{"resources":{"limits":{"cpu":"400m"}}}`)}}
		r.Spec.Workloads[0].Duration = ptr.To(v1alpha1.Duration("45s"))
		r.Spec.Load.Rate = ptr.To[int64](30)
		r.Spec.Load.Warmup = ptr.To(v1alpha1.Duration("10s"))
	})
	found := measure(ctx, run)
	Expect(found.Store.Promise).To(BeEquivalentTo(stores.PromiseEventual))
	Expect(found.Store.Persistent).To(HaveValue(BeFalse()))
	measured := found.Workloads[0]
	Expect(measured.Throughput).To(BeNumerically(">", 15), "half of the rate")
	Expect(measured.Loading.Records).To(BeEquivalentTo(1000))

	By("seeing that the member was away, and is back")
	Expect(found.Faults).To(HaveLen(1))
	fault := found.Faults[0]
	Expect(fault.Error).To(BeEmpty())
	Expect(fault.Effective).To(BeTrue())
	Expect(fault.Target).NotTo(BeEmpty())
	Expect(fault.LeaderBefore + fault.LeaderAfter).To(BeEmpty())
	Expect(fault.HealedAt).NotTo(BeNil())

	By("losing no record")
	for _, failure := range measured.Errors {
		Expect(failure.Code).NotTo(Equal(stores.CodeNotFound), "%+v", measured.Errors)
	}

	By("checking the report against its schema")
	expectSchema(download(ctx, openResults(ctx), run, forward.Report))
}
