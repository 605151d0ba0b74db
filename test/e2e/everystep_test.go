//go:build e2e

package e2e

import (
	"context"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

var _ = Describe("A controller that is killed in every step of one run", Label("killed", "robustness"), func() {
	It("brings it to its end, with one start, one Job for each role, and every second measured", func(ctx SpecContext) {
		blocker := occupy(ctx)
		run := newRun("everystep", openLoop, killLeader, seconds(60))
		run.Spec.Faults[0].At = "30s"
		apply(ctx, run)
		await(ctx, run, atPhase("Queued"))
		jobs := countJobs(ctx, run)
		killController := func() {
			kill(ctx, systemNamespace, controllerPods)
			// The next one must be restarted as quickly.
			renew(ctx, systemNamespace, controllerPods)
		}
		killController()
		remove(ctx, blocker)
		for _, phase := range []string{"Deploying", "Loading", "Arming"} {
			await(ctx, run, atPhase(phase))
			killController()
		}
		start := awaitStart(ctx, run)
		killController()

		By("killing it half a second before the fault is due")
		until(ctx, start, openLoopWarmup+29500*time.Millisecond)
		kill(ctx, systemNamespace, controllerPods)
		await(ctx, run, faultInjected)
		By("and as soon as the fault is injected")
		kill(ctx, systemNamespace, controllerPods)
		renew(ctx, systemNamespace, controllerPods)
		for _, phase := range []string{"Collecting", "TearingDown"} {
			await(ctx, run, atPhase(phase))
			killController()
		}
		awaitEnd(ctx, run, endTimeout)
		expectCondition(run, v1alpha1.ConditionComplete, metav1.ConditionTrue)
		expectNothingLeft(ctx, run)

		Expect(run.Status.Workloads[0].StartedAtUnixNanos).To(Equal(start.UnixNano()), "the measurement was started once")
		Expect(jobs()).To(And(Not(BeEmpty()), HaveEach(1)), "each Job was made once")
		found := readReport(ctx, run)
		expectEverySecond(found, 60)
		Expect(found.Faults[0].Error).To(BeEmpty())
		Expect(found.Faults[0].Effective).To(BeTrue())
		late := injectedAt(found.Faults[0]) - 30*time.Second
		AddReportEntry("fault late by", late.String())
		Expect(late).To(BeNumerically("<", 20*time.Second))
		expectSound(found)
	}, SpecTimeout(15*time.Minute))
})

// occupy has a run hold the cluster, so that others queue, until it is removed.
func occupy(ctx context.Context) *v1alpha1.BenchmarkRun {
	GinkgoHelper()
	blocker := newRun("blocker", nodes(1), seconds(600))
	apply(ctx, blocker)
	await(ctx, blocker, atPhase("Deploying"))
	return blocker
}

// countJobs counts, until it is asked, how many Jobs there were of each name of the run's.
func countJobs(ctx context.Context, run *v1alpha1.BenchmarkRun) func() map[string]int {
	GinkgoHelper()
	watched, err := clients.BatchV1().Jobs(run.Namespace).Watch(ctx, metav1.ListOptions{LabelSelector: "kvbench.io/run-uid=" + string(run.UID)})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(watched.Stop)
	var lock sync.Mutex
	seen := map[string]map[string]bool{}
	go func() {
		for event := range watched.ResultChan() {
			if job, ok := event.Object.(*batchv1.Job); ok {
				lock.Lock()
				if seen[job.Name] == nil {
					seen[job.Name] = map[string]bool{}
				}
				seen[job.Name][string(job.UID)] = true
				lock.Unlock()
			}
		}
	}()
	return func() map[string]int {
		lock.Lock()
		defer lock.Unlock()
		counts := map[string]int{}
		for name, uids := range seen {
			counts[name] = len(uids)
		}
		return counts
	}
}

// firstPhase is the phase of the first pod with the labels, or none.
func firstPhase(ctx context.Context, run *v1alpha1.BenchmarkRun, labels client.MatchingLabels) (string, error) {
	pods := &corev1.PodList{}
	if err := k8s.List(ctx, pods, client.InNamespace(run.Namespace), labels); err != nil || len(pods.Items) == 0 {
		return "", err
	}
	return string(pods.Items[0].Status.Phase), nil
}
