//go:build e2e

package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/redis"
)

// Member 0 is a primary as the cluster was made. Its pod takes its data with it, so that there is
// always a failover, and what is back is another member.
var _ = Describe("A Redis Cluster with a primary's pod killed under load", Label("stores"), func() {
	It("has its replica in its place, and is made whole again", func(ctx SpecContext) {
		run := newRun("redis-cluster", openLoop, seconds(60), func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Store = v1alpha1.StoreSpec{Name: "redis", Mode: redis.ModeCluster, Nodes: 6,
				Storage: v1alpha1.StorageSpec{Ephemeral: true},
				Values:  &apiextensionsv1.JSON{Raw: []byte(`{"cluster":{"node-timeout":2000}}`)}}
			r.Spec.Load.Rate = ptr.To[int64](30)
			r.Spec.Load.Warmup = ptr.To(v1alpha1.Duration("10s"))
			r.Spec.Faults = []v1alpha1.FaultSpec{{
				Name: "kill-primary", Action: "PodKill", At: "10s", Target: &v1alpha1.FaultTarget{Member: ptr.To[int32](0)},
			}}
		})
		found := measure(ctx, run)
		Expect(found.Store.Promise).To(BeEquivalentTo(stores.PromiseEventual))

		By("seeing an outage of a plausible length")
		Expect(found.Faults).To(HaveLen(1))
		fault := found.Faults[0]
		Expect(fault.Error).To(BeEmpty())
		Expect(fault.Effective).To(BeTrue())
		Expect(fault.Target).To(HaveSuffix("-0"))
		Expect(fault.LeaderBefore).To(BeEmpty())
		Expect(fault.OutageMicros).NotTo(BeNil())
		outage := time.Duration(*fault.OutageMicros) * time.Microsecond
		Expect(outage).To(BeNumerically(">", shortestSilence))
		Expect(outage).To(BeNumerically("<", longestFailover))
		Expect(fault.OutageCensored).To(BeFalse())

		By("seeing that the member was taken in again")
		Expect(fault.HealedAt).NotTo(BeNil())
		Expect(found.Repairs).To(ContainElement(HaveField("What", ContainSubstring(fault.Target+" was made a replica of"))))
	}, SpecTimeout(measureTimeout))
})
