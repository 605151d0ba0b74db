//go:build e2e

package e2e

import (
	"context"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// A stopped node is one of the local cluster, killed as by a power failure.
var _ = Describe("A Kubernetes node that stops", Label("nodes", "robustness"), func() {
	It("is the store's affair when only a member is on it", func(ctx SpecContext) {
		victim := emptyNode(ctx)
		run := newRun("node-member", openLoop, seconds(60))
		run.Spec.Timeouts.Teardown = "30s"
		apply(ctx, run)
		closeOnceTaken(ctx, run, victim)
		start := awaitStart(ctx, run)
		until(ctx, start, 15*time.Second)
		stopNode(ctx, victim)
		awaitEnd(ctx, run, endTimeout)
		expectCondition(run, v1alpha1.ConditionComplete, metav1.ConditionTrue)
		found := readReport(ctx, run)
		expectSound(found)
		expectEverySecond(found, 60)

		By("finding the member still there, as the status says, until its node is back")
		late := expectCondition(run, v1alpha1.ConditionCleanedUp, metav1.ConditionFalse)
		Expect(late.Message).To(ContainSubstring("Pod "))
		startNode(ctx, victim)
		Eventually(func() (bool, error) {
			err := k8s.Get(ctx, client.ObjectKeyFromObject(run), run)
			return holds(run, v1alpha1.ConditionCleanedUp), err
		}).WithContext(ctx).WithTimeout(2*time.Minute).Should(BeTrue(), conditions(run))
		expectNothingLeft(ctx, run)
	}, SpecTimeout(10*time.Minute))

	It("ends the run when a worker is on it", func(ctx SpecContext) {
		victim := emptyNode(ctx)
		run := newRun("node-worker", openLoop, seconds(30))
		run.Spec.Timeouts.Teardown = "30s"
		apply(ctx, run)
		await(ctx, run, atPhase("Loading"))
		others := otherNodes(ctx, victim)
		setSchedulable(ctx, false, others...)
		start := awaitStart(ctx, run)
		setSchedulable(ctx, true, others...)
		Expect(onePod(ctx, namespace, worker(run, "0")).Spec.NodeName).To(Equal(victim))
		until(ctx, start, 10*time.Second)
		stopNode(ctx, victim)
		awaitEnd(ctx, run, endTimeout)
		failed := expectCondition(run, v1alpha1.ConditionFailed, metav1.ConditionTrue)
		AddReportEntry("message", failed.Message)
		Expect(failed.Reason).To(Equal("MeasurementLost"))
		expectCondition(run, v1alpha1.ConditionValid, metav1.ConditionFalse)
		startNode(ctx, victim)
		remove(ctx, run)
		expectNothingLeft(ctx, run)
	}, SpecTimeout(12*time.Minute))

	It("costs nothing when the controller is on it", func(ctx SpecContext) {
		victim := emptyNode(ctx)
		others := otherNodes(ctx, victim)
		setSchedulable(ctx, false, others...)
		renew(ctx, systemNamespace, controllerPods)
		setSchedulable(ctx, true, others...)
		Expect(onePod(ctx, systemNamespace, controllerPods).Spec.NodeName).To(Equal(victim))
		setSchedulable(ctx, false, victim)
		run := newRun("node-controller", openLoop, seconds(100))
		apply(ctx, run)
		start := awaitStart(ctx, run)
		until(ctx, start, 10*time.Second)
		stopNode(ctx, victim)
		awaitEnd(ctx, run, endTimeout)
		expectCondition(run, v1alpha1.ConditionComplete, metav1.ConditionTrue)
		found := readReport(ctx, run)
		expectSound(found)
		expectEverySecond(found, 100)
		expectNothingLeft(ctx, run)
	}, SpecTimeout(10*time.Minute))
})

// emptyNode is a node with nothing of kvbench on it. The controller makes room if it has to;
// the results server has its volume where it is.
func emptyNode(ctx context.Context) string {
	GinkgoHelper()
	server := onePod(ctx, systemNamespace, resultsPods).Spec.NodeName
	free := otherNodes(ctx, server)
	Expect(len(free)).To(BeNumerically(">=", 2), "this spec needs three nodes")
	victim := free[0]
	if onePod(ctx, systemNamespace, controllerPods).Spec.NodeName == victim {
		setSchedulable(ctx, false, victim)
		renew(ctx, systemNamespace, controllerPods)
		setSchedulable(ctx, true, victim)
	}
	return victim
}

// closeOnceTaken lets one member onto the node, and nothing else.
func closeOnceTaken(ctx context.Context, run *v1alpha1.BenchmarkRun, node string) {
	GinkgoHelper()
	taken := func(role string) (names []string, err error) {
		pods := &corev1.PodList{}
		err = k8s.List(ctx, pods, client.InNamespace(run.Namespace), podsOf(run, role))
		for i := range pods.Items {
			if pods.Items[i].Spec.NodeName == node {
				names = append(names, pods.Items[i].Name)
			}
		}
		return names, err
	}
	Eventually(func() ([]string, error) { return taken("store") }).WithContext(ctx).
		WithTimeout(time.Minute).WithPolling(50 * time.Millisecond).Should(HaveLen(1))
	setSchedulable(ctx, false, node)
	if observer, err := taken("observer"); len(observer) > 0 {
		Expect(err).NotTo(HaveOccurred())
		renew(ctx, run.Namespace, podsOf(run, "observer"))
	}
}

func otherNodes(ctx context.Context, than string) []string {
	GinkgoHelper()
	all := &corev1.NodeList{}
	Expect(k8s.List(ctx, all)).To(Succeed())
	names := sets.New[string]()
	for i := range all.Items {
		names.Insert(all.Items[i].Name)
	}
	return sets.List(names.Delete(than))
}

// setSchedulable opens or closes nodes for new pods; they are open when the spec is over.
func setSchedulable(ctx context.Context, open bool, names ...string) {
	GinkgoHelper()
	for _, name := range names {
		node := &corev1.Node{}
		Expect(k8s.Get(ctx, client.ObjectKey{Name: name}, node)).To(Succeed())
		before := node.DeepCopy()
		node.Spec.Unschedulable = !open
		Expect(k8s.Patch(ctx, node, client.MergeFrom(before))).To(Succeed())
		if !open {
			DeferCleanup(func(ctx SpecContext) { setSchedulable(ctx, true, name) })
		}
	}
}

var stopped = sets.New[string]()

func stopNode(ctx context.Context, name string) {
	GinkgoHelper()
	stopped.Insert(name)
	DeferCleanup(func(ctx SpecContext) {
		if stopped.Has(name) {
			startNode(ctx, name)
		}
	}, NodeTimeout(4*time.Minute))
	command(ctx, filepath.Join(root, "_output", "bin", "localcluster"), "stop-node", name)
}

// startNode boots the node, and waits for the daemons on it, whose absence would fail the
// next spec's faults.
func startNode(ctx context.Context, name string) {
	GinkgoHelper()
	command(ctx, filepath.Join(root, "_output", "bin", "localcluster"), "start-node", name)
	stopped.Delete(name)
	Eventually(daemonsReady).WithContext(ctx).WithTimeout(2 * time.Minute).Should(BeTrue())
}
