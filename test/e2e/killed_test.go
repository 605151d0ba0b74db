//go:build e2e

package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/results/forward"
)

var _ = Describe("Processes that are killed", Label("killed", "robustness"), func() {
	It("don't disturb the measurement when they are the controller, the results server or the observer", func(ctx SpecContext) {
		run := newRun("killed", openLoop, seconds(50))
		apply(ctx, run)
		start := awaitStart(ctx, run)
		until(ctx, start, 10*time.Second)
		kill(ctx, systemNamespace, controllerPods)
		until(ctx, start, 20*time.Second)
		kill(ctx, systemNamespace, resultsPods)
		until(ctx, start, 30*time.Second)
		kill(ctx, namespace, podsOf(run, "observer"))
		until(ctx, start, 40*time.Second)
		kill(ctx, systemNamespace, controllerPods)
		kill(ctx, systemNamespace, resultsPods)

		awaitEnd(ctx, run, endTimeout)
		expectCondition(run, v1alpha1.ConditionComplete, metav1.ConditionTrue)
		expectNothingLeft(ctx, run)
		found := readReport(ctx, run)
		expectSound(found)
		measured := found.Workloads[0]
		Expect(measured.Throughput).To(BeNumerically("~", 100, 15))
		Expect(measured.Succeeded).To(Equal(measured.Intended), "every operation was answered, and none of them is missing")
		expectEverySecond(found, 50)
	}, SpecTimeout(endTimeout+3*time.Minute))

	It("change no byte of a report when it is the results server", func(ctx SpecContext) {
		run := newRun("bytes", openLoop, killLeader)
		apply(ctx, run)
		await(ctx, run, atPhase("Collecting"))
		kill(ctx, systemNamespace, resultsPods)
		awaitEnd(ctx, run, endTimeout)
		expectCondition(run, v1alpha1.ConditionComplete, metav1.ConditionTrue)
		before := download(ctx, openResults(ctx), run, forward.Report)

		By("killing it once more")
		renew(ctx, systemNamespace, resultsPods)
		kill(ctx, systemNamespace, resultsPods)
		Expect(download(ctx, openResults(ctx), run, forward.Report)).To(Equal(before))
	}, SpecTimeout(endTimeout+3*time.Minute))

	It("make the run fail when one is a worker that measures", func(ctx SpecContext) {
		run := newRun("lost", openLoop)
		apply(ctx, run)
		start := awaitStart(ctx, run)
		until(ctx, start, 8*time.Second)
		sigkill(onePod(ctx, namespace, worker(run, "1")))
		awaitEnd(ctx, run, endTimeout)
		failed := expectCondition(run, v1alpha1.ConditionFailed, metav1.ConditionTrue)
		Expect(failed.Reason).To(Equal("MeasurementLost"))
		expectCondition(run, v1alpha1.ConditionValid, metav1.ConditionFalse)
		expectNothingLeft(ctx, run)
	}, SpecTimeout(endTimeout+time.Minute))

	It("are started again when one is a worker that loads", func(ctx SpecContext) {
		run := newRun("reload", func(r *v1alpha1.BenchmarkRun) { r.Spec.Workloads[0].Records = ptr.To[int64](100_000) })
		apply(ctx, run)
		await(ctx, run, atPhase("Loading"))
		loader := podsOf(run, "load")
		Eventually(func() (string, error) { return firstPhase(ctx, run, loader) }).
			WithContext(ctx).WithTimeout(time.Minute).WithPolling(50 * time.Millisecond).Should(Equal("Running"))
		sigkill(onePod(ctx, namespace, loader))
		awaitEnd(ctx, run, endTimeout)
		expectCondition(run, v1alpha1.ConditionComplete, metav1.ConditionTrue)
		expectNothingLeft(ctx, run)
		found := readReport(ctx, run)
		Expect(found.Workloads[0].Loading).NotTo(BeNil())
		Expect(found.Workloads[0].Loading.Records).To(BeEquivalentTo(100_000))
	}, SpecTimeout(endTimeout+time.Minute))

	It("make an injection not valid when it is the observer, which then saw nothing of it", func(ctx SpecContext) {
		run := newRun("unseen", openLoop, killLeader)
		apply(ctx, run)
		await(ctx, run, started)
		// The first restart takes less than a second, which is no gap; the next one is held back.
		kill(ctx, namespace, podsOf(run, "observer"))
		observer := onePod(ctx, namespace, podsOf(run, "observer"))
		await(ctx, run, faultInjected)
		sigkill(observer)
		awaitEnd(ctx, run, endTimeout)
		expectCondition(run, v1alpha1.ConditionComplete, metav1.ConditionTrue)
		expectNothingLeft(ctx, run)
		found := readReport(ctx, run)
		Expect(found.Valid).To(BeFalse())
		Expect(reasons(found)).To(ContainElement("TopologyGap"))
		Expect(found.Faults[0].OutageMicros).NotTo(BeNil(), "the outage is measured by the workers")
	}, SpecTimeout(endTimeout+time.Minute))
})

// seconds of measurement.
func seconds(n int) option {
	return func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Workloads[0].Duration = ptr.To(v1alpha1.Duration((time.Duration(n) * time.Second).String()))
	}
}

func podsOf(run *v1alpha1.BenchmarkRun, role string) client.MatchingLabels {
	return client.MatchingLabels{"kvbench.io/run-uid": string(run.UID), "kvbench.io/role": role}
}

func worker(run *v1alpha1.BenchmarkRun, index string) client.MatchingLabels {
	labels := podsOf(run, "worker")
	labels["batch.kubernetes.io/job-completion-index"] = index
	return labels
}

// expectEverySecond wants successes in each second of the measurement.
func expectEverySecond(found *report.Report, want int) {
	GinkgoHelper()
	var seconds int
	for _, second := range found.Workloads[0].Series {
		if second.Phase == "measurement" {
			Expect(second.OK).To(BeNumerically(">", 0), "second %d", second.Second)
			seconds++
		}
	}
	Expect(seconds).To(Equal(want))
}
