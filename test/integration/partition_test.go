package integration

import (
	"context"
	"time"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/bundle"
)

var _ = Describe("A partition", Ordered, Label("faults"), func() {
	var s *stage
	BeforeAll(func() {
		s = newStage()
		DeferCleanup(s.start(s.results, nil))
	})

	const lasts = 2 * time.Second
	// cut is a run whose member 1 is cut off at once; it is measured until the cut is healed.
	cut := func(meanwhile func(run *v1alpha1.BenchmarkRun)) (*v1alpha1.BenchmarkRun, bundle.FaultLine) {
		GinkgoHelper()
		s.sim.holdJobs.add("worker")
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Load.Warmup = ptr.To(v1alpha1.Duration("0s"))
			spec.Workloads[0].Duration = ptr.To(v1alpha1.Duration("20s"))
			spec.Faults = []v1alpha1.FaultSpec{{
				Name: "cut", Action: "Partition", At: "0s", Duration: ptr.To(v1alpha1.Duration(lasts.String())),
				Target: &v1alpha1.FaultTarget{Member: ptr.To[int32](1)},
			}}
			spec.Faults[0].Partition = &v1alpha1.PartitionParameters{Direction: "To"}
		})
		await := func(state string) {
			GinkgoHelper()
			Eventually(func(g Gomega) {
				g.Expect(k8sClient.Get(context.Background(), client.ObjectKeyFromObject(run), run)).To(Succeed())
				g.Expect(run.Status.Faults).To(HaveLen(1), "phase %s, conditions %v", run.Status.Phase, run.Status.Conditions)
				g.Expect(run.Status.Faults[0].State).To(Equal(state), "%+v", run.Status.Faults[0])
			}, time.Minute, 20*time.Millisecond).Should(Succeed())
		}
		await(v1alpha1.FaultInjected)
		meanwhile(run)
		await(v1alpha1.FaultHealed)
		s.sim.holdJobs.remove("worker")
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		s.nothingLeft(run)
		return run, s.results.faultLine(string(run.UID))
	}

	It("is between a member and all others, and is healed when its time is over", func() {
		run, line := cut(func(*v1alpha1.BenchmarkRun) {})
		Expect(line.Error).To(BeEmpty())
		Expect(line.Targets).To(Equal([]string{line.Target}))
		Expect(line.Peers).To(HaveLen(2))
		Expect(line.DurationMillis).To(Equal(lasts.Milliseconds()))
		Expect(line.EndedAfterUnixNanos).To(BeNumerically(">=", line.InjectedBeforeUnixNanos+lasts.Nanoseconds()))
		Expect(line.EndedBeforeUnixNanos).To(BeNumerically(">=", line.EndedAfterUnixNanos))
		made := injectedAs[*chaos.NetworkChaos](s.sim, run.UID)
		Expect(made).To(HaveLen(1))
		Expect(made[0].Spec.Direction).To(Equal(chaos.To))
		Expect(made[0].Spec.Selector.Pods).To(Equal(map[string][]string{run.Namespace: line.Targets}))
		Expect(made[0].Spec.Target.Selector.Pods).To(Equal(map[string][]string{run.Namespace: line.Peers}))
	})

	It("isn't whole where a pod of it was replaced", func(ctx context.Context) {
		var replaced string
		_, line := cut(func(run *v1alpha1.BenchmarkRun) {
			replaced = run.Status.Faults[0].Peers[0]
			pod := &corev1.Pod{}
			Expect(s.sim.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: replaced}, pod)).To(Succeed())
			Expect(s.sim.Delete(ctx, pod, client.GracePeriodSeconds(0))).To(Succeed())
		})
		Expect(line.Reason).To(Equal(bundle.FaultPodReplaced))
		Expect(line.Error).To(ContainSubstring(replaced))
	})
})
