//go:build e2e

package e2e

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

var _ = Describe("A fault's object that is held on to", Label("faults", "robustness"), func() {
	It("is removed by force", func(ctx SpecContext) {
		run := newRun("held", openLoop, killLeader)
		apply(ctx, run)
		hold(ctx, run)
		awaitEnd(ctx, run, endTimeout)
		expectCondition(run, v1alpha1.ConditionComplete, metav1.ConditionTrue)
		expectCondition(run, v1alpha1.ConditionCleanedUp, metav1.ConditionTrue)
		expectNothingLeft(ctx, run)
		Expect(run.Status.Faults[0].Message).To(ContainSubstring("removed by force"))
	}, SpecTimeout(8*time.Minute))

	It("holds no run up where force doesn't help, since Chaos Mesh is gone, and is named until it goes", func(ctx SpecContext) {
		run := newRun("held", openLoop, killLeader)
		run.Spec.Timeouts.Teardown = "30s"
		apply(ctx, run)
		object := hold(ctx, run)
		await(ctx, run, faultInjected)
		scaleChaosMesh(ctx, 0)
		awaitEnd(ctx, run, 8*time.Minute)
		expectCondition(run, v1alpha1.ConditionComplete, metav1.ConditionTrue)
		stuck := expectCondition(run, v1alpha1.ConditionCleanedUp, metav1.ConditionFalse)
		Expect(stuck.Message).To(ContainSubstring("PodChaos " + object.GetName()))
		Expect(run.Status.Faults[0].Message).To(ContainSubstring("force did not help"))

		By("having Chaos Mesh back")
		scaleChaosMesh(ctx, 1)
		letGo(ctx, object)
		Eventually(func() (bool, error) {
			err := k8s.Get(ctx, client.ObjectKeyFromObject(run), run)
			return holds(run, v1alpha1.ConditionCleanedUp), err
		}).WithContext(ctx).WithTimeout(2*time.Minute).Should(BeTrue(), conditions(run))
		expectNothingLeft(ctx, run)
	}, SpecTimeout(12*time.Minute))
})

const holding = "e2e.kvbench.io/hold"

// hold puts a finalizer on the object of the run's fault as soon as there is one.
func hold(ctx context.Context, run *v1alpha1.BenchmarkRun) client.Object {
	GinkgoHelper()
	found := &unstructured.UnstructuredList{}
	found.SetGroupVersionKind(schema.GroupVersionKind{Group: "chaos-mesh.org", Version: "v1alpha1", Kind: "PodChaos"})
	Eventually(func() ([]unstructured.Unstructured, error) {
		err := k8s.List(ctx, found, client.InNamespace(run.Namespace), client.MatchingLabels{"kvbench.io/run-uid": string(run.UID)})
		return found.Items, err
	}).WithContext(ctx).WithTimeout(endTimeout).WithPolling(20 * time.Millisecond).Should(HaveLen(1))
	object := &found.Items[0]
	before := object.DeepCopy()
	object.SetFinalizers(append(object.GetFinalizers(), holding))
	Expect(k8s.Patch(ctx, object, client.MergeFrom(before))).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { letGo(ctx, object) })
	return object
}

func letGo(ctx context.Context, object client.Object) {
	GinkgoHelper()
	Eventually(func() error {
		patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
		return client.IgnoreNotFound(k8s.Patch(ctx, object, patch))
	}).WithContext(ctx).WithTimeout(time.Minute).Should(Succeed())
}

func scaleChaosMesh(ctx context.Context, replicas int32) {
	GinkgoHelper()
	manager := &appsv1.Deployment{}
	Expect(k8s.Get(ctx, client.ObjectKey{Namespace: "chaos-mesh", Name: "chaos-controller-manager"}, manager)).To(Succeed())
	before := manager.DeepCopy()
	if replicas == 0 {
		DeferCleanup(func(ctx SpecContext) { scaleChaosMesh(ctx, *before.Spec.Replicas) }, NodeTimeout(2*time.Minute))
	}
	manager.Spec.Replicas = ptr.To(replicas)
	Expect(k8s.Patch(ctx, manager, client.MergeFrom(before))).To(Succeed())
	Eventually(func() (int32, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(manager), manager)
		return manager.Status.AvailableReplicas, err
	}).WithContext(ctx).WithTimeout(2 * time.Minute).Should(Equal(replicas))
}
