//go:build e2e

package e2e

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

var _ = Describe("The rules of a partition that Chaos Mesh does not take back", Label("held", "faults", "robustness"), func() {
	// keepsStore is a run whose leader is cut off for 20 s, and whose store stays.
	keepsStore := func(r *v1alpha1.BenchmarkRun) {
		cutLeader(r)
		r.Spec.Faults[0].Duration = ptr.To(v1alpha1.Duration("20s"))
		r.Spec.Retain = v1alpha1.RetainAlways
		r.Spec.Timeouts.Teardown = "30s"
		r.Spec.Store.Values = &apiextensionsv1.JSON{Raw: []byte(`{"networkPolicy":{"enabled":false}}`)}
	}
	// endsInDoubt awaits the end of a run whose partition nobody healed.
	endsInDoubt := func(ctx context.Context, run *v1alpha1.BenchmarkRun, says string) {
		GinkgoHelper()
		awaitEnd(ctx, run, 8*time.Minute)
		expectCondition(run, v1alpha1.ConditionComplete, metav1.ConditionTrue)
		left := expectCondition(run, v1alpha1.ConditionCleanedUp, metav1.ConditionFalse)
		AddReportEntry("message", left.Message)
		Expect(left.Message).To(And(ContainSubstring("fault cut-leader may still be at work in the pods"), ContainSubstring(says)))
		Expect(run.Status.Faults[0].State).To(Equal(v1alpha1.FaultInjected))
	}
	cleanedUp := func(ctx context.Context, run *v1alpha1.BenchmarkRun) func() (bool, error) {
		return func() (bool, error) {
			err := k8s.Get(ctx, client.ObjectKeyFromObject(run), run)
			return holds(run, v1alpha1.ConditionCleanedUp), err
		}
	}

	It("stay as long as Chaos Mesh is away, and the run says so", func(ctx SpecContext) {
		run := newRun("heldcut", openLoop, seconds(40), keepsStore)
		apply(ctx, run)
		await(ctx, run, faultInjected)
		scaleChaosMesh(ctx, 0)
		endsInDoubt(ctx, run, "see that Chaos Mesh's controller")
		members := membersOf(ctx, run, 3)
		for i := range members {
			Expect(partitionRules(ctx, &members[i])).NotTo(BeEmpty(), "the rules in %s are gone", members[i].Name)
		}

		By("having Chaos Mesh back")
		scaleChaosMesh(ctx, 1)
		Eventually(cleanedUp(ctx, run)).WithContext(ctx).WithTimeout(2*time.Minute).Should(BeTrue(), conditions(run))
		for i := range members {
			Expect(partitionRules(ctx, &members[i])).To(BeEmpty(), "the partition goes on in %s", members[i].Name)
		}
		remove(ctx, run)
		expectNothingLeft(ctx, run)
	}, SpecTimeout(12*time.Minute))

	It("hold up the next run on the same members, where the fault's object was removed by force", func(ctx SpecContext) {
		run := newRun("forced", openLoop, seconds(40), keepsStore)
		apply(ctx, run)
		await(ctx, run, faultInjected)
		scaleChaosMesh(ctx, 0)
		removeWebhooks(ctx)
		removeByForce(ctx, run, "NetworkChaos")
		endsInDoubt(ctx, run, "its object is gone")

		next := newRun("next", openLoop, onMembersOf(run))
		apply(ctx, next)
		await(ctx, next, moment{"held up", func(next *v1alpha1.BenchmarkRun) bool {
			ready := meta.FindStatusCondition(next.Status.Conditions, v1alpha1.ConditionStoreReady)
			return ready != nil && ready.Reason == "NotSteady"
		}})
		Expect(meta.FindStatusCondition(next.Status.Conditions, v1alpha1.ConditionStoreReady).Message).To(And(
			ContainSubstring("the pod "+run.Status.Faults[0].Targets[0]+" still has rules of "+namespace+"/"), ContainSubstring("delete these pods")))

		By("deleting the pods")
		members := membersOf(ctx, run, 3)
		for i := range members {
			Expect(k8s.Delete(ctx, &members[i])).To(Succeed())
		}
		awaitEnd(ctx, next, endTimeout)
		expectCondition(next, v1alpha1.ConditionComplete, metav1.ConditionTrue)
		Eventually(cleanedUp(ctx, run)).WithContext(ctx).WithTimeout(2*time.Minute).Should(BeTrue(), conditions(run))
		remove(ctx, run)
		expectNothingLeft(ctx, run)
	}, SpecTimeout(15*time.Minute))
})

// removeByForce removes the run's object of that kind, although Chaos Mesh has not let go of it.
func removeByForce(ctx context.Context, run *v1alpha1.BenchmarkRun, kind string) {
	GinkgoHelper()
	found := &unstructured.UnstructuredList{}
	found.SetGroupVersionKind(schema.GroupVersionKind{Group: "chaos-mesh.org", Version: "v1alpha1", Kind: kind})
	Expect(k8s.List(ctx, found, client.InNamespace(run.Namespace), client.MatchingLabels{"kvbench.io/run-uid": string(run.UID)})).To(Succeed())
	Expect(found.Items).To(HaveLen(1))
	Expect(client.IgnoreNotFound(k8s.Delete(ctx, &found.Items[0]))).To(Succeed())
	letGo := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
	Expect(client.IgnoreNotFound(k8s.Patch(ctx, &found.Items[0], letGo))).To(Succeed())
}
