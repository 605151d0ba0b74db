//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/results/forward"
)

var _ = Describe("Processes that are killed", Label("killed", "robustness"), func() {
	It("don't disturb the measurement when they are the controller, the results server or the observer", func(ctx SpecContext) {
		run := newRun("killed", openLoop, func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Workloads[0].Duration = ptr.To(v1alpha1.Duration("50s"))
		})
		apply(ctx, run)
		start := awaitStart(ctx, run)
		at := func(seconds int) { time.Sleep(time.Until(start.Add(time.Duration(seconds) * time.Second))) }
		at(10)
		kill(ctx, systemNamespace, client.MatchingLabels{"app.kubernetes.io/component": "controller"})
		at(20)
		kill(ctx, systemNamespace, client.MatchingLabels{"app.kubernetes.io/component": "results"})
		at(30)
		kill(ctx, namespace, client.MatchingLabels{"kvbench.io/run-uid": string(run.UID), "kvbench.io/role": "observer"})
		at(40)
		kill(ctx, systemNamespace, client.MatchingLabels{"app.kubernetes.io/component": "controller"})
		kill(ctx, systemNamespace, client.MatchingLabels{"app.kubernetes.io/component": "results"})

		awaitEnd(ctx, run, endTimeout)
		expectCondition(run, v1alpha1.ConditionComplete, metav1.ConditionTrue)
		expectNothingLeft(ctx, run)
		found := readReport(ctx, run)
		expectValid(run, found)
		measured := found.Workloads[0]
		Expect(measured.Throughput).To(BeNumerically("~", 100, 15))
		Expect(measured.Succeeded).To(Equal(measured.Intended), "every operation was answered, and none of them is missing")
		var seconds int
		for _, second := range measured.Series {
			if second.Phase == "measurement" {
				Expect(second.OK).To(BeNumerically(">", 0), "second %d", second.Second)
				seconds++
			}
		}
		Expect(seconds).To(Equal(50))

		By("killing the results server once more: the same bytes are there")
		before := download(ctx, openResults(ctx), run, forward.Report)
		kill(ctx, systemNamespace, client.MatchingLabels{"app.kubernetes.io/component": "results"})
		Expect(download(ctx, openResults(ctx), run, forward.Report)).To(Equal(before))
	}, SpecTimeout(endTimeout+2*time.Minute))

	It("make the run fail when one is a worker that measures", func(ctx SpecContext) {
		run := newRun("lost", openLoop)
		apply(ctx, run)
		start := awaitStart(ctx, run)
		time.Sleep(time.Until(start.Add(15 * time.Second)))
		kill(ctx, namespace, client.MatchingLabels{
			"kvbench.io/run-uid": string(run.UID), "kvbench.io/role": "worker", "batch.kubernetes.io/job-completion-index": "1",
		})
		awaitEnd(ctx, run, endTimeout)
		failed := expectCondition(run, v1alpha1.ConditionFailed, metav1.ConditionTrue)
		Expect(failed.Reason).To(Equal("MeasurementLost"))
		expectCondition(run, v1alpha1.ConditionValid, metav1.ConditionFalse)
		expectNothingLeft(ctx, run)
	}, SpecTimeout(endTimeout+time.Minute))
})

// awaitStart waits for the run's measurement and returns when it began, warm-up included.
func awaitStart(ctx context.Context, run *v1alpha1.BenchmarkRun) time.Time {
	GinkgoHelper()
	Eventually(func() (int64, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(run), run)
		if len(run.Status.Workloads) == 0 {
			return 0, err
		}
		return run.Status.Workloads[0].StartedAtUnixNanos, err
	}).WithContext(ctx).WithTimeout(2*time.Minute).Should(BeNumerically(">", 0), "the measurement did not start")
	return time.Unix(0, run.Status.Workloads[0].StartedAtUnixNanos)
}

// kill ends the one pod's container with SIGKILL, through Chaos Mesh, and waits until its
// successor is ready, unless it has none.
func kill(ctx context.Context, in string, labels client.MatchingLabels) {
	GinkgoHelper()
	pod := onePod(ctx, in, labels)
	restarts := pod.Status.ContainerStatuses[0].RestartCount
	chaos := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "chaos-mesh.org/v1alpha1", "kind": "PodChaos",
		"metadata": map[string]any{"namespace": in, "name": "e2e-kill-" + rand.String(5)},
		"spec": map[string]any{
			"action": "container-kill", "mode": "one", "containerNames": []any{pod.Spec.Containers[0].Name},
			"selector": map[string]any{"pods": map[string]any{in: []any{pod.Name}}},
		},
	}}
	Expect(k8s.Create(ctx, chaos)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(k8s.Delete(ctx, chaos))).To(Succeed()) })
	Eventually(func(g Gomega) {
		now := &corev1.Pod{}
		err := k8s.Get(ctx, client.ObjectKeyFromObject(pod), now)
		if client.IgnoreNotFound(err) == nil && err != nil || now.Status.Phase == corev1.PodFailed {
			return
		}
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(now.Status.ContainerStatuses[0].RestartCount).To(BeNumerically(">", restarts), "%s was not killed", pod.Name)
		g.Expect(now.Status.ContainerStatuses[0].Ready).To(BeTrue(), "%s is not ready again", pod.Name)
	}).WithContext(ctx).WithTimeout(time.Minute).Should(Succeed())
}

func onePod(ctx context.Context, in string, labels client.MatchingLabels) *corev1.Pod {
	GinkgoHelper()
	pods := &corev1.PodList{}
	Expect(k8s.List(ctx, pods, client.InNamespace(in), labels)).To(Succeed())
	Expect(pods.Items).To(HaveLen(1), fmt.Sprint(labels))
	return &pods.Items[0]
}
