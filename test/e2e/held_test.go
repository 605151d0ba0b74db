//go:build e2e

package e2e

import (
	"context"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

var _ = Describe("A fault's object that Chaos Mesh holds on to", Label("held", "robustness"), func() {
	It("is removed by force, where Chaos Mesh was uninstalled in the middle of the run", func(ctx SpecContext) {
		run := newRun("held", openLoop, killLeader)
		apply(ctx, run)
		stopChaosMesh(ctx, run, func() { removeWebhooks(ctx) })
		awaitEnd(ctx, run, endTimeout)
		expectCondition(run, v1alpha1.ConditionComplete, metav1.ConditionTrue)
		expectCondition(run, v1alpha1.ConditionCleanedUp, metav1.ConditionTrue)
		expectNothingLeft(ctx, run)
		Expect(run.Status.Faults[0].Message).To(ContainSubstring("removed by force"))
	}, SpecTimeout(8*time.Minute))

	It("holds no run up where its webhook refuses the force, and is named until it goes", func(ctx SpecContext) {
		run := newRun("held", openLoop, killLeader)
		run.Spec.Timeouts.Teardown = "30s"
		apply(ctx, run)
		stopChaosMesh(ctx, run, func() {})
		awaitEnd(ctx, run, 8*time.Minute)
		expectCondition(run, v1alpha1.ConditionComplete, metav1.ConditionTrue)
		stuck := expectCondition(run, v1alpha1.ConditionCleanedUp, metav1.ConditionFalse)
		Expect(stuck.Message).To(ContainSubstring("PodChaos "))
		Expect(run.Status.Faults[0].Message).To(ContainSubstring("force did not help"))

		By("having Chaos Mesh back")
		scaleChaosMesh(ctx, 1)
		Eventually(func() (bool, error) {
			err := k8s.Get(ctx, client.ObjectKeyFromObject(run), run)
			return holds(run, v1alpha1.ConditionCleanedUp), err
		}).WithContext(ctx).WithTimeout(2*time.Minute).Should(BeTrue(), conditions(run))
		expectNothingLeft(ctx, run)
	}, SpecTimeout(12*time.Minute))
})

// stopChaosMesh takes Chaos Mesh away between the injection of the run's fault and the
// deletion of its object. The controller, which deletes it at once, is stopped meanwhile.
func stopChaosMesh(ctx context.Context, run *v1alpha1.BenchmarkRun, also func()) {
	GinkgoHelper()
	await(ctx, run, started)
	controller := onePod(ctx, systemNamespace, controllerPods)
	found := &unstructured.UnstructuredList{}
	found.SetGroupVersionKind(schema.GroupVersionKind{Group: "chaos-mesh.org", Version: "v1alpha1", Kind: "PodChaos"})
	list := func() ([]unstructured.Unstructured, error) {
		err := k8s.List(ctx, found, client.InNamespace(run.Namespace), client.MatchingLabels{"kvbench.io/run-uid": string(run.UID)})
		return found.Items, err
	}
	Eventually(list).WithContext(ctx).WithTimeout(time.Minute).WithPolling(10 * time.Millisecond).Should(HaveLen(1))
	signal(controller, syscall.SIGSTOP)
	defer signal(controller, syscall.SIGCONT)
	Eventually(func() (bool, error) {
		items, err := list()
		return len(items) == 1 && injected(&items[0]), err
	}).WithContext(ctx).WithTimeout(20 * time.Second).WithPolling(50 * time.Millisecond).Should(BeTrue())
	Expect(found.Items[0].GetDeletionTimestamp()).To(BeNil(), "the controller was not stopped in time")
	scaleChaosMesh(ctx, 0)
	also()
}

func injected(object *unstructured.Unstructured) bool {
	all, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, c := range all {
		if c, ok := c.(map[string]any); ok && c["type"] == "AllInjected" && c["status"] == "True" {
			return true
		}
	}
	return false
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
	Eventually(func(g Gomega) {
		g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(manager), manager)).To(Succeed())
		g.Expect(manager.Status.AvailableReplicas).To(Equal(replicas))
		pods := &corev1.PodList{}
		g.Expect(k8s.List(ctx, pods, client.InNamespace("chaos-mesh"), client.MatchingLabels(manager.Spec.Selector.MatchLabels))).To(Succeed())
		g.Expect(pods.Items).To(HaveLen(int(replicas)))
	}).WithContext(ctx).WithTimeout(2 * time.Minute).WithPolling(200 * time.Millisecond).Should(Succeed())
}

// removeWebhooks removes Chaos Mesh's, as its uninstallation does, until the spec is over.
func removeWebhooks(ctx context.Context) {
	GinkgoHelper()
	mutating, validating := &admissionv1.MutatingWebhookConfigurationList{}, &admissionv1.ValidatingWebhookConfigurationList{}
	Expect(k8s.List(ctx, mutating)).To(Succeed())
	Expect(k8s.List(ctx, validating)).To(Succeed())
	var hooks []client.Object
	for i := range mutating.Items {
		hooks = append(hooks, &mutating.Items[i])
	}
	for i := range validating.Items {
		hooks = append(hooks, &validating.Items[i])
	}
	for _, hook := range hooks {
		if !strings.HasPrefix(hook.GetName(), "chaos-mesh") {
			continue
		}
		Expect(k8s.Delete(ctx, hook)).To(Succeed())
		hook.SetResourceVersion("")
		hook.SetUID("")
		DeferCleanup(func(ctx SpecContext) { Expect(k8s.Create(ctx, hook)).To(Succeed()) })
	}
}
