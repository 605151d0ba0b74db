package integration

import (
	"context"
	"time"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// keepFaults makes the API server refuse each deletion of a Chaos object, as a policy does, or
// a webhook that fails closed. It is in force when this returns, and lift ends it.
func (s *stage) keepFaults(ctx context.Context) (lift func()) {
	GinkgoHelper()
	every := admissionv1.NamedRuleWithOperations{RuleWithOperations: admissionv1.RuleWithOperations{
		Operations: []admissionv1.OperationType{admissionv1.Delete},
		Rule:       admissionv1.Rule{APIGroups: []string{"chaos-mesh.org"}, APIVersions: []string{"*"}, Resources: []string{"podchaos"}},
	}}
	policy := &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: "keep-faults"}}
	policy.Spec.MatchConstraints = &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{every}}
	policy.Spec.Validations = []admissionv1.Validation{{Expression: "false", Message: "faults stay here"}}
	binding := &admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: policy.ObjectMeta}
	binding.Spec = admissionv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: policy.Name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny}}

	probe := &chaos.PodChaos{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "probe"}}
	Expect(s.sim.Create(ctx, probe)).To(Succeed())
	lift = func() {
		GinkgoHelper()
		for _, object := range []client.Object{binding, policy} {
			Expect(client.IgnoreNotFound(k8sClient.Delete(context.Background(), object))).To(Succeed())
		}
		Eventually(func() error {
			return client.IgnoreNotFound(s.sim.Delete(context.Background(), probe))
		}, time.Minute).Should(Succeed())
	}
	DeferCleanup(lift)
	for _, object := range []client.Object{policy, binding} {
		Expect(k8sClient.Create(ctx, object)).To(Succeed())
	}
	Eventually(func() error { return s.sim.Delete(ctx, probe, client.DryRunAll) }, time.Minute).Should(MatchError(ContainSubstring("faults stay here")))
	return lift
}

var _ = Describe("a fault whose object may not be deleted", Ordered, Label("starved"), func() {
	var s *stage
	BeforeAll(func() {
		s = newStage()
		s.sim.awaitFault.Store(true)
		DeferCleanup(s.start(s.results, nil))
	})

	withFault := func(change func(*v1alpha1.BenchmarkRunSpec)) *v1alpha1.BenchmarkRun {
		GinkgoHelper()
		return s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Faults = []v1alpha1.FaultSpec{{Name: "kill", Action: "ContainerKill", At: "500ms", Target: &v1alpha1.FaultTarget{Member: ptr.To[int32](1)}}}
			spec.Timeouts.Teardown = "1s" // and so the least one
			change(spec)
		})
	}
	// endsBesideItsFault is how a run ends that could not remove its fault: named, with the
	// right to run given back.
	endsBesideItsFault := func(run *v1alpha1.BenchmarkRun, kind, reason string, within time.Duration) (fault *chaos.PodChaos) {
		GinkgoHelper()
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(context.Background(), client.ObjectKeyFromObject(run), run)).To(Succeed())
			g.Expect(meta.IsStatusConditionTrue(run.Status.Conditions, kind)).To(BeTrue(), "phase %s, conditions %v", run.Status.Phase, run.Status.Conditions)
		}, within, 100*time.Millisecond).Should(Succeed())
		Expect(meta.FindStatusCondition(run.Status.Conditions, kind).Reason).To(Equal(reason))
		kills := &chaos.PodChaosList{}
		Expect(s.sim.List(context.Background(), kills, client.InNamespace(run.Namespace), client.MatchingLabels{"kvbench.io/run-uid": string(run.UID)})).To(Succeed())
		Expect(kills.Items).To(HaveLen(1))
		fault = &kills.Items[0]
		cleaned := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionCleanedUp)
		Expect(cleaned.Status).To(Equal(metav1.ConditionFalse))
		Expect(cleaned.Reason).To(Equal("TimedOut"))
		Expect(cleaned.Message).To(And(HavePrefix("still there: PodChaos "+fault.Name+": "), ContainSubstring("faults stay here")))
		lease := &coordinationv1.Lease{}
		Expect(k8sClient.Get(context.Background(), client.ObjectKey{Namespace: systemNamespace, Name: "kvbench-run-slot"}, lease)).To(Succeed())
		Expect(lease.Spec.HolderIdentity).To(BeNil(), "the right to run is given back")
		return fault
	}
	// goesWhenItMay: a change of what is left wakes the run, which otherwise looks now and then.
	goesWhenItMay := func(run *v1alpha1.BenchmarkRun, fault *chaos.PodChaos, reason string) {
		GinkgoHelper()
		Expect(s.sim.Get(context.Background(), client.ObjectKeyFromObject(fault), fault)).To(Succeed())
		fault.Annotations = map[string]string{"wake": "up"}
		Expect(s.sim.Update(context.Background(), fault)).To(Succeed())
		s.reach(run, v1alpha1.ConditionCleanedUp, reason)
		Expect(s.sim.Get(context.Background(), client.ObjectKeyFromObject(fault), fault)).To(MatchError(ContainSubstring("not found")))
	}

	DescribeTable("ends with a run that fails, and goes when it may", func(ctx context.Context, retain v1alpha1.RetainPolicy, reason string) {
		lift := s.keepFaults(ctx)
		s.sim.failJobs.add("worker")
		DeferCleanup(func() { s.sim.failJobs.remove("worker") })
		run := withFault(func(spec *v1alpha1.BenchmarkRunSpec) { spec.Retain = retain })
		fault := endsBesideItsFault(run, v1alpha1.ConditionFailed, "MeasurementLost", 2*time.Minute)
		lift()
		goesWhenItMay(run, fault, reason)
		Expect(k8sClient.Delete(ctx, run)).To(Succeed())
		Eventually(func() error { return k8sClient.Get(ctx, client.ObjectKeyFromObject(run), run) }, time.Minute).Should(MatchError(ContainSubstring("not found")))
		s.nothingLeft(run)
	},
		Entry("all of it", v1alpha1.RetainNever, "AllGone"),
		Entry("all but a store that is retained", Label("robustness"), v1alpha1.RetainOnFailure, "Retained"))

	It("is named, and the run complete all the same", Label("robustness"), func(ctx context.Context) {
		lift := s.keepFaults(ctx)
		run := withFault(func(*v1alpha1.BenchmarkRunSpec) {})
		fault := endsBesideItsFault(run, v1alpha1.ConditionComplete, "Finished", 5*time.Minute)
		healed := meta.FindStatusCondition(run.Status.Workloads[0].Conditions, v1alpha1.ConditionFaultsHealed)
		Expect(healed.Status).To(Equal(metav1.ConditionFalse))
		Expect(healed.Reason).To(Equal("NotHealed"))
		Expect(healed.Message).To(And(ContainSubstring("kill"), ContainSubstring("faults stay here")))
		Expect(s.results.faultLine(string(run.UID)).Error).To(ContainSubstring("faults stay here"))
		lift()
		goesWhenItMay(run, fault, "AllGone")
		s.nothingLeft(run)
	})
})
