//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The programs of kvbench, by their pods' labels.
var (
	controllerPods = client.MatchingLabels{"app.kubernetes.io/name": "kvbench", "app.kubernetes.io/component": "controller"}
	resultsPods    = client.MatchingLabels{"app.kubernetes.io/name": "kvbench", "app.kubernetes.io/component": "results"}
)

// onePod is the one pod with the labels that isn't being deleted.
func onePod(ctx context.Context, in string, labels client.MatchingLabels) *corev1.Pod {
	GinkgoHelper()
	pods := &corev1.PodList{}
	Expect(k8s.List(ctx, pods, client.InNamespace(in), labels)).To(Succeed())
	var alive []*corev1.Pod
	for i := range pods.Items {
		if pods.Items[i].DeletionTimestamp.IsZero() {
			alive = append(alive, &pods.Items[i])
		}
	}
	Expect(alive).To(HaveLen(1), fmt.Sprint(labels))
	return alive[0]
}

// sigkill ends the pod's program with SIGKILL, now.
func sigkill(pod *corev1.Pod) {
	GinkgoHelper()
	signal(pod, syscall.SIGKILL)
}

// signal sends one to the pod's program.
func signal(pod *corev1.Pod, s syscall.Signal) {
	GinkgoHelper()
	Expect(syscall.Kill(processOf(pod), s)).To(Succeed())
}

// processOf is the pod's program: its process is on this machine, where the nodes of the local
// cluster are. A program may have started others, as the results server does for a report.
func processOf(pod *corev1.Pod) int {
	GinkgoHelper()
	found, err := filepath.Glob("/proc/[0-9]*/cgroup")
	Expect(err).NotTo(HaveOccurred())
	parents := map[int]int{} // of the pod's processes
	for _, file := range found {
		cgroups, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(cgroups), string(pod.UID)) {
			continue // ended meanwhile, or another's
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		Expect(err).NotTo(HaveOccurred())
		if name, parent, exists := processNamed(pid); exists && name != "pause" {
			parents[pid] = parent
		}
	}
	var first []int
	for pid, parent := range parents {
		if _, started := parents[parent]; !started {
			first = append(first, pid)
		}
	}
	Expect(first).To(HaveLen(1), "the process of pod %s is not on this machine: this spec needs the local cluster", pod.Name)
	return first[0]
}

// processNamed is a process' name, and the process that started it. It may have ended.
func processNamed(pid int) (name string, parent int, exists bool) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return "", 0, false
	}
	for line := range strings.Lines(string(status)) {
		field, value, _ := strings.Cut(strings.TrimSpace(line), ":\t")
		switch field {
		case "Name":
			name = value
		case "PPid":
			parent, err = strconv.Atoi(value)
		}
	}
	return name, parent, err == nil
}

// kill ends the one pod's program with SIGKILL, and waits until its container runs again and
// is ready.
func kill(ctx context.Context, in string, labels client.MatchingLabels) {
	GinkgoHelper()
	pod := onePod(ctx, in, labels)
	restarts := pod.Status.ContainerStatuses[0].RestartCount
	sigkill(pod)
	Eventually(func(g Gomega) {
		now := &corev1.Pod{}
		g.Expect(k8s.Get(ctx, client.ObjectKeyFromObject(pod), now)).To(Succeed())
		g.Expect(now.Status.ContainerStatuses[0].RestartCount).To(BeNumerically(">", restarts), "%s was not restarted", pod.Name)
		g.Expect(now.Status.ContainerStatuses[0].Ready).To(BeTrue(), "%s is not ready again", pod.Name)
	}).WithContext(ctx).WithTimeout(2 * time.Minute).WithPolling(200 * time.Millisecond).Should(Succeed())
}

// renew replaces the one pod, so that the container of its successor is restarted at once
// when it is killed: kubelet makes one wait that was killed before.
func renew(ctx context.Context, in string, labels client.MatchingLabels) {
	GinkgoHelper()
	old := onePod(ctx, in, labels)
	Expect(k8s.Delete(ctx, old)).To(Succeed())
	Eventually(func(g Gomega) {
		pods := &corev1.PodList{}
		g.Expect(k8s.List(ctx, pods, client.InNamespace(in), labels)).To(Succeed())
		g.Expect(pods.Items).To(HaveLen(1))
		g.Expect(pods.Items[0].UID).NotTo(Equal(old.UID))
		g.Expect(pods.Items[0].Status.ContainerStatuses).NotTo(BeEmpty())
		g.Expect(pods.Items[0].Status.ContainerStatuses[0].Ready).To(BeTrue())
	}).WithContext(ctx).WithTimeout(2 * time.Minute).WithPolling(200 * time.Millisecond).Should(Succeed())
}

// stopController takes the controller away until startController, or until the spec is over.
func stopController(ctx context.Context) {
	GinkgoHelper()
	DeferCleanup(startController, NodeTimeout(2*time.Minute))
	scaleController(ctx, 0)
}

func startController(ctx SpecContext) { scaleController(ctx, 1) }

func scaleController(ctx context.Context, replicas int32) {
	GinkgoHelper()
	deployment := &appsv1.Deployment{}
	deployment.Namespace, deployment.Name = systemNamespace, "kvbench-controller"
	before := deployment.DeepCopy()
	deployment.Spec.Replicas = ptr.To(replicas)
	Expect(k8s.Patch(ctx, deployment, client.MergeFrom(before))).To(Succeed())
	Eventually(func(g Gomega) {
		pods := &corev1.PodList{}
		g.Expect(k8s.List(ctx, pods, client.InNamespace(systemNamespace), controllerPods)).To(Succeed())
		g.Expect(pods.Items).To(HaveLen(int(replicas)))
		for i := range pods.Items {
			g.Expect(pods.Items[i].Status.ContainerStatuses).NotTo(BeEmpty())
			g.Expect(pods.Items[i].Status.ContainerStatuses[0].Ready).To(BeTrue())
		}
	}).WithContext(ctx).WithTimeout(time.Minute).WithPolling(200 * time.Millisecond).Should(Succeed())
}
