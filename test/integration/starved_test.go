package integration

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	results "github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/results/wire"
)

var errFull = &results.Error{Status: 507, Problem: wire.Problem{Error: "the results server's volume is full: enlarge it", Reason: wire.ReasonFull}}

var _ = Describe("a run that is short of something", Ordered, Label("starved"), func() {
	var s *stage
	BeforeAll(func() {
		s = newStage()
		s.results.measureFor = 100 * time.Millisecond
	})

	conditionOf := func(run *v1alpha1.BenchmarkRun, kind string) *metav1.Condition {
		return meta.FindStatusCondition(run.Status.Conditions, kind)
	}
	quick := func(change func(*v1alpha1.BenchmarkRunSpec)) *v1alpha1.BenchmarkRun {
		return s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Load.Warmup = ptr.To(v1alpha1.Duration("0s"))
			if change != nil {
				change(spec)
			}
		})
	}

	DescribeTable("waits for a results server that is full, and goes on when there is room",
		func(request, kind string) {
			s.results.refuse(request, errFull)
			DeferCleanup(func() { s.results.refuse(request, nil) })
			DeferCleanup(s.start(s.results, nil))
			run := quick(nil)
			s.reach(run, kind, "ResultsDiskFull")
			Expect(conditionOf(run, kind).Status).To(Equal(metav1.ConditionUnknown))
			Expect(conditionOf(run, kind).Message).To(ContainSubstring("volume is full: enlarge it"))
			s.results.refuse(request, nil)
			s.reach(run, v1alpha1.ConditionComplete, "Finished")
			s.nothingLeft(run)
		},
		Entry("when it is created", "check", v1alpha1.ConditionAccepted),
		Entry("when it has its turn", "register", v1alpha1.ConditionAccepted),
		Entry("when its report is to be stored", "report", v1alpha1.ConditionReported),
		Entry("when its faults are to be stored", "faults", v1alpha1.ConditionReported),
	)

	It("waits with the start for a results server that is full", func() {
		s.results.refuse("start", errFull)
		DeferCleanup(func() { s.results.refuse("start", nil) })
		DeferCleanup(s.start(s.results, nil))
		run := quick(nil)
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(context.Background(), client.ObjectKeyFromObject(run), run)).To(Succeed())
			g.Expect(run.Status.Workloads).NotTo(BeEmpty())
			measured := meta.FindStatusCondition(run.Status.Workloads[0].Conditions, v1alpha1.ConditionMeasured)
			g.Expect(measured).NotTo(BeNil())
			g.Expect(measured.Reason).To(Equal("ResultsDiskFull"))
		}, time.Minute, 50*time.Millisecond).Should(Succeed())
		s.results.refuse("start", nil)
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		s.nothingLeft(run)
	})

	It("fails with the disk as its reason when the report finds no room, and leaves nothing", func() {
		s.results.refuse("report", errFull)
		DeferCleanup(func() { s.results.refuse("report", nil) })
		DeferCleanup(s.start(s.results, nil))
		run := quick(func(spec *v1alpha1.BenchmarkRunSpec) { spec.Timeouts.Collect = "3s" })
		s.reach(run, v1alpha1.ConditionFailed, "ResultsDiskFull")
		Expect(conditionOf(run, v1alpha1.ConditionFailed).Message).To(ContainSubstring("volume is full: enlarge it"))
		Expect(conditionOf(run, v1alpha1.ConditionReported).Status).To(Equal(metav1.ConditionFalse))
		s.nothingLeft(run)
	})

	It("names the pod that was evicted, and why", func() {
		s.sim.evictJobs.add("worker")
		DeferCleanup(func() { s.sim.evictJobs.remove("worker") })
		DeferCleanup(s.start(s.results, nil))
		run := quick(nil)
		s.reach(run, v1alpha1.ConditionFailed, "MeasurementLost")
		Expect(conditionOf(run, v1alpha1.ConditionFailed).Message).To(MatchRegexp(`: pod \S+-measure-a-0-x: Evicted: The node was low on resource: memory\.$`))
		s.nothingLeft(run)
	})
})
