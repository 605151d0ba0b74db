package integration

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

var _ = Describe("a run whose pods don't run", Ordered, Label("trouble"), func() {
	var s *stage
	BeforeAll(func() {
		s = newStage()
		DeferCleanup(s.start(s.results, nil))
	})

	It("tells at once what its members wait for, and goes on when they have it", func() {
		s.sim.stuck.set("store", unschedulable("0/3 nodes are available: 3 Insufficient cpu."))
		DeferCleanup(func() { s.sim.stuck.free("store") })
		run := s.newRun(nil)
		s.reach(run, v1alpha1.ConditionStoreReady, "Unschedulable")
		told := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionStoreReady)
		Expect(told.Status).To(Equal(metav1.ConditionUnknown))
		Expect(told.Message).To(MatchRegexp(`^pod \S+-0: Unschedulable: 0/3 nodes are available: 3 Insufficient cpu\.$`))
		Eventually(func() []string { return s.warnings(run) }, time.Minute, 100*time.Millisecond).Should(Equal([]string{"Unschedulable: " + told.Message}))
		s.sim.stuck.free("store")
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		Expect(s.warnings(run)).To(HaveLen(1))
		s.nothingLeft(run)
	})

	It("fails where an image is missing for two minutes, and lets the next one run", Label("robustness"), func() {
		s.sim.stuck.set("load", imageMissing)
		DeferCleanup(func() { s.sim.stuck.free("load") })
		run, next := s.newRun(nil), s.newRun(nil)
		s.reach(next, v1alpha1.ConditionAccepted, "Queued")
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(context.Background(), client.ObjectKeyFromObject(run), run)).To(Succeed())
			g.Expect(run.Status.Workloads).NotTo(BeEmpty())
			told := meta.FindStatusCondition(run.Status.Workloads[0].Conditions, v1alpha1.ConditionLoaded)
			g.Expect(told).NotTo(BeNil())
			g.Expect(told.Reason).To(Equal("ImageNotFound"))
		}, time.Minute, 100*time.Millisecond).Should(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(context.Background(), client.ObjectKeyFromObject(run), run)).To(Succeed())
			g.Expect(meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionFailed)).To(BeTrue())
		}, 3*time.Minute, 100*time.Millisecond).Should(Succeed())
		failed := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFailed)
		Expect(failed.Reason).To(Equal("ImageNotFound"))
		Expect(failed.Message).To(MatchRegexp(`^an image was not found for 2m0s: pod \S+-load-a-0-x: ErrImagePull: .*: not found \(`))
		s.nothingLeft(run)
		s.sim.stuck.free("load")
		s.reach(next, v1alpha1.ConditionComplete, "Finished")
	})

	It("tells at the deadline of loading what the loader waited for", func() {
		s.sim.stuck.set("load", unschedulable("0/3 nodes are available: 3 Insufficient cpu."))
		DeferCleanup(func() { s.sim.stuck.free("load") })
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) { spec.Timeouts.Load = "2s" })
		s.reach(run, v1alpha1.ConditionFailed, "LoadFailed")
		Expect(meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFailed).Message).To(MatchRegexp(
			`^the records of workload a could not be loaded within 2s \(timeouts\.load\): pod \S+-load-a-0-x never ran: Unschedulable: 0/3 nodes are available: 3 Insufficient cpu\.$`))
		s.nothingLeft(run)
	})
})

// warnings are the run's events of that type.
func (s *stage) warnings(run *v1alpha1.BenchmarkRun) []string {
	GinkgoHelper()
	events := &eventsv1.EventList{}
	Expect(s.sim.List(context.Background(), events, client.InNamespace(run.Namespace))).To(Succeed())
	var lines []string
	for _, e := range events.Items {
		if e.Regarding.UID == run.UID && e.Type == corev1.EventTypeWarning {
			lines = append(lines, e.Reason+": "+e.Note)
		}
	}
	return lines
}
