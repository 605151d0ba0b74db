//go:build e2e

package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

var _ = Describe("Faults one after another", Label("faults", "robustness"), func() {
	It("hit a follower, any member, and a member by its index", func(ctx SpecContext) {
		run := newRun("targets", openLoop, func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Workloads[0].Duration = ptr.To(v1alpha1.Duration("75s"))
			r.Spec.Faults = []v1alpha1.FaultSpec{
				{Name: "follower", Action: "PodKill", At: "5s", Target: &v1alpha1.FaultTarget{Role: "Follower"}},
				{Name: "any", Action: "ContainerKill", At: "30s", Target: &v1alpha1.FaultTarget{Role: "Any"}},
				{Name: "first", Action: "PodKill", At: "50s", Target: &v1alpha1.FaultTarget{Member: ptr.To[int32](0)}},
			}
		})
		found := measure(ctx, run)
		Expect(found.Faults).To(HaveLen(3))
		for _, fault := range found.Faults {
			Expect(fault.Error).To(BeEmpty(), fault.Name)
			Expect(fault.Effective).To(BeTrue(), fault.Name)
			Expect(fault.HealedAt).NotTo(BeNil(), fault.Name)
			Expect(found.Store.Members).To(ContainElement(fault.Target), fault.Name)
			Expect(fault.OutageMicros).NotTo(BeNil(), fault.Name)
			Expect(time.Duration(*fault.OutageMicros)*time.Microsecond).To(BeNumerically("<", longestOutage), fault.Name)
		}
		follower, first := found.Faults[0], found.Faults[2]
		Expect(follower.LeaderBefore).NotTo(BeEmpty())
		Expect(follower.Target).NotTo(Equal(follower.LeaderBefore))
		Expect(first.Target).To(Equal(found.Store.Members[0]))
	}, SpecTimeout(measureTimeout))
})
