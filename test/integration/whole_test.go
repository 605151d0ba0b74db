package integration

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

var _ = Describe("A workload after one with faults", Ordered, Label("faults", "whole"), func() {
	var s *stage
	BeforeAll(func() {
		s = newStage()
		s.results.measureFor = 100 * time.Millisecond
		s.sim.awaitFault.Store(true)
	})
	BeforeEach(func() {
		s.unwell.Store("etcd-1")
		DeferCleanup(func() { s.unwell.Store("") })
	})

	// twice is a run of two workloads, the first of which has a fault.
	twice := func(change func(*v1alpha1.BenchmarkRunSpec)) *v1alpha1.BenchmarkRun {
		GinkgoHelper()
		return s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Load.Warmup = ptr.To(v1alpha1.Duration("0s"))
			spec.Faults = []v1alpha1.FaultSpec{{Name: "kill", Action: "ContainerKill", Workload: "a", At: "0s", Target: &v1alpha1.FaultTarget{Member: ptr.To[int32](1)}}}
			next := spec.Workloads[0]
			next.Name = "b"
			spec.Workloads = append(spec.Workloads, next)
			if change != nil {
				change(spec)
			}
		})
	}
	whole := func(run *v1alpha1.BenchmarkRun) *metav1.Condition {
		GinkgoHelper()
		Expect(k8sClient.Get(context.Background(), client.ObjectKeyFromObject(run), run)).To(Succeed())
		for _, w := range run.Status.Workloads {
			if w.Name == "b" {
				return meta.FindStatusCondition(w.Conditions, v1alpha1.ConditionStoreWhole)
			}
		}
		return nil
	}
	waits := func(run *v1alpha1.BenchmarkRun) {
		GinkgoHelper()
		Eventually(func() *metav1.Condition { return whole(run) }, time.Minute, 50*time.Millisecond).ShouldNot(BeNil())
		condition := whole(run)
		Expect(condition.Status).To(Equal(metav1.ConditionUnknown))
		Expect(condition.Message).To(ContainSubstring("after the faults of workload a: etcd-1 is not well: Unavailable"))
		Expect(run.Status.Phase).To(Equal("Recovering"))
	}
	begun := func(run *v1alpha1.BenchmarkRun) bool {
		return slices.ContainsFunc(slices.Collect(maps.Keys(s.sim.madeFor(run))), func(job string) bool { return strings.HasSuffix(job, "-b") })
	}

	It("begins when the store is whole again, whoever waited for it", func(ctx context.Context) {
		stop := s.start(s.results, nil)
		run := twice(nil)
		waits(run)
		since := whole(run).LastTransitionTime
		stop()
		DeferCleanup(s.start(s.results, nil))
		Consistently(func() bool { return begun(run) }, 3*time.Second, 100*time.Millisecond).Should(BeFalse())
		Expect(whole(run).LastTransitionTime).To(Equal(since), "the deadline would count anew")
		s.unwell.Store("")
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		Expect(whole(run).Reason).To(Equal("Whole"))
		Expect(begun(run)).To(BeTrue())
		s.nothingLeft(run)
	})

	It("begins when its time is over, and the run says so", func(ctx context.Context) {
		DeferCleanup(s.start(s.results, nil))
		run := twice(func(spec *v1alpha1.BenchmarkRunSpec) { spec.Timeouts.Deploy = "6s" })
		waits(run)
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		Expect(whole(run).Status).To(Equal(metav1.ConditionFalse))
		Expect(whole(run).Message).To(ContainSubstring("not whole again after 6s: etcd-1 is not well: Unavailable"))
		Expect(begun(run)).To(BeTrue())
		s.nothingLeft(run)
	})

	It("goes with its run, when that is deleted meanwhile", func(ctx context.Context) {
		DeferCleanup(s.start(s.results, nil))
		run := twice(nil)
		waits(run)
		s.remove(ctx, run)
		Expect(begun(run)).To(BeFalse())
		s.nothingLeft(run)
	})

	It("waits for nothing where the store is whole", func(ctx context.Context) {
		s.unwell.Store("")
		DeferCleanup(s.start(s.results, nil))
		run := twice(nil)
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		Expect(whole(run).Status).To(Equal(metav1.ConditionTrue))
		s.nothingLeft(run)
	})
})
