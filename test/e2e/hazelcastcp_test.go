//go:build e2e

package e2e

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/hazelcast"
)

var _ = Describe("Hazelcast's CP group with its leader killed under load", Label("stores"), func() {
	DescribeTable("has another leader, and is made whole again", func(ctx SpecContext, action string) {
		run := newRun("hazelcast-cp", openLoop, killLeader, seconds(75), func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Store = v1alpha1.StoreSpec{Name: "hazelcast", Mode: hazelcast.ModeCP, Nodes: 3,
				Values: &apiextensionsv1.JSON{Raw: []byte(`{"resources":{"limits":{"cpu":"400m"}}}`)}}
			r.Spec.Load.Rate = ptr.To[int64](30)
			r.Spec.Load.Warmup = ptr.To(v1alpha1.Duration("10s"))
			r.Spec.Faults[0].Action = action
		})
		found := measure(ctx, run)
		Expect(found.Store.Promise).To(BeEquivalentTo(stores.PromiseLinearizable))

		By("seeing another leader")
		fault := found.Faults[0]
		Expect(fault.Error).To(BeEmpty())
		Expect(fault.Effective).To(BeTrue())
		Expect(fault.Target).To(Equal(fault.LeaderBefore))
		Expect(fault.LeaderAfter).NotTo(BeEmpty())
		Expect(fault.TermAfter).To(BeNumerically(">", fault.TermBefore))
		Expect(fault.OutageMicros).NotTo(BeNil())
		Expect(fault.OutageCensored).To(BeFalse())

		By("seeing that the member was taken in again")
		Expect(found.Repairs).To(ContainElement(HaveField("What", ContainSubstring(fault.Target+" was promoted"))))
		Expect(fault.HealedAt).NotTo(BeNil())

		By("losing no record")
		for _, failure := range found.Workloads[0].Errors {
			Expect(failure.Code).NotTo(Equal(stores.CodeNotFound), "%+v", failure)
		}
	},
		Entry("when its process ends", "ContainerKill", SpecTimeout(measureTimeout)),
		Entry("when its pod is made anew", "PodKill", SpecTimeout(measureTimeout)))
})
