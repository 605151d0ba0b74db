package integration

import (
	"context"
	"time"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
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
	await := func(run *v1alpha1.BenchmarkRun, state string) {
		GinkgoHelper()
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(context.Background(), client.ObjectKeyFromObject(run), run)).To(Succeed())
			g.Expect(run.Status.Faults).To(HaveLen(1), "phase %s, conditions %v", run.Status.Phase, run.Status.Conditions)
			g.Expect(run.Status.Faults[0].State).To(Equal(state), "%+v", run.Status.Faults[0])
		}, time.Minute, 20*time.Millisecond).Should(Succeed())
	}
	// begin is a run whose member 1 is cut off at once; it is measured until the workers are let go.
	begin := func(retain v1alpha1.RetainPolicy) *v1alpha1.BenchmarkRun {
		GinkgoHelper()
		s.sim.holdJobs.add("worker")
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Retain = retain
			spec.Load.Warmup = ptr.To(v1alpha1.Duration("0s"))
			spec.Workloads[0].Duration = ptr.To(v1alpha1.Duration("20s"))
			spec.Faults = []v1alpha1.FaultSpec{{
				Name: "cut", Action: "Partition", At: "0s", Duration: ptr.To(v1alpha1.Duration(lasts.String())),
				Target: &v1alpha1.FaultTarget{Member: ptr.To[int32](1)},
			}}
			spec.Faults[0].Partition = &v1alpha1.PartitionParameters{Direction: "To"}
		})
		await(run, v1alpha1.FaultInjected)
		return run
	}
	// cut is such a run, measured until the cut is healed.
	cut := func(meanwhile func(run *v1alpha1.BenchmarkRun)) (*v1alpha1.BenchmarkRun, bundle.FaultLine) {
		GinkgoHelper()
		run := begin(v1alpha1.RetainNever)
		meanwhile(run)
		await(run, v1alpha1.FaultHealed)
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

	It("isn't called over while its rules may be in a pod", func(ctx context.Context) {
		s.sim.holdCuts.Store(true)
		DeferCleanup(func() { s.sim.holdCuts.Store(false) })
		run := begin(v1alpha1.RetainAlways)
		made := injectedAs[*chaos.NetworkChaos](s.sim, run.UID)
		Expect(made).To(HaveLen(1))
		Eventually(func(g Gomega) {
			g.Expect(s.sim.Get(ctx, client.ObjectKeyFromObject(made[0]), made[0])).To(Succeed())
			g.Expect(made[0].DeletionTimestamp).NotTo(BeNil())
		}, time.Minute, 20*time.Millisecond).Should(Succeed())
		byForce := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
		Expect(s.sim.Patch(ctx, made[0].DeepCopy(), byForce)).To(Succeed())
		s.sim.holdJobs.remove("worker")

		cleaned := func() metav1.Condition {
			Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(run), run)).To(Succeed())
			return ptr.Deref(meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionCleanedUp), metav1.Condition{})
		}
		Eventually(cleaned, time.Minute).Should(And(
			HaveField("Status", metav1.ConditionFalse), HaveField("Message", ContainSubstring("fault cut may still be at work")),
			HaveField("Message", ContainSubstring(run.Status.Faults[0].Target)), HaveField("Message", ContainSubstring("delete these pods"))))
		Expect(run.Status.Faults[0].State).To(Equal(v1alpha1.FaultInjected))
		Expect(meta.FindStatusCondition(run.Status.Workloads[0].Conditions, v1alpha1.ConditionFaultsHealed).Reason).To(Equal("NotHealed"))
		line := s.results.faultLine(string(run.UID))
		Expect(line.EndedAfterUnixNanos).NotTo(BeZero())
		Expect(line.EndedBeforeUnixNanos).To(BeZero(), "nobody saw its end")

		Expect(s.sim.setRules(ctx, made[0], false)).To(Succeed())
		s.reach(run, v1alpha1.ConditionCleanedUp, "Retained")
		s.remove(ctx, run)
		s.nothingLeft(run)
	})
})
