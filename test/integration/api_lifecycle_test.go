package integration

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

var _ = Describe("A stored BenchmarkRun", Label("api"), func() {
	var run *v1alpha1.BenchmarkRun

	BeforeEach(func(ctx context.Context) {
		run = &v1alpha1.BenchmarkRun{
			ObjectMeta: metav1.ObjectMeta{GenerateName: "stored-", Namespace: "default"},
			Spec: v1alpha1.BenchmarkRunSpec{
				Store: v1alpha1.StoreSpec{Name: "etcd", Nodes: 3},
				Workloads: []v1alpha1.WorkloadSpec{
					{Name: "a", Preset: "A"},
					{Name: "b", Preset: "B"},
				},
			},
		}
		Expect(k8sClient.Create(ctx, run)).To(Succeed())
		DeferCleanup(func(ctx context.Context) {
			Expect(client.IgnoreNotFound(k8sClient.Delete(ctx, run))).To(Succeed())
		})
	})

	It("cannot change its spec, and says what to do instead", func(ctx context.Context) {
		run.Spec.Store.Nodes = 5
		err := k8sClient.Update(ctx, run)
		Expect(apierrors.IsInvalid(err)).To(BeTrue(), "got: %v", err)
		Expect(err.Error()).To(ContainSubstring("spec cannot be changed"))
		Expect(err.Error()).To(ContainSubstring("delete this BenchmarkRun and create another"))
	})

	It("can change its labels", func(ctx context.Context) {
		run.Labels = map[string]string{"team": "storage"}
		Expect(k8sClient.Update(ctx, run)).To(Succeed())
	})

	It("keeps its generation when its status changes", func(ctx context.Context) {
		generation := run.Generation
		run.Status = finishedStatus()
		Expect(k8sClient.Status().Update(ctx, run)).To(Succeed())
		Expect(run.Generation).To(Equal(generation))
	})

	It("refuses a condition that isn't True, False or Unknown", func(ctx context.Context) {
		run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: "Yes", Reason: "R", LastTransitionTime: metav1.Now()}}
		Expect(apierrors.IsInvalid(k8sClient.Status().Update(ctx, run))).To(BeTrue())
	})

	It("shows its state in the columns of kubectl get", func(ctx context.Context) {
		run.Status = finishedStatus()
		Expect(k8sClient.Status().Update(ctx, run)).To(Succeed())

		header, row := columns(ctx, run.Name)
		Expect(header).To(Equal([]string{"NAME", "STORE", "NODES", "WORKLOAD", "PHASE", "PROGRESS", "VALID", "OPS/S", "P99", "OUTAGE", "AGE"}))
		Expect(row[:9]).To(Equal([]string{run.Name, "etcd", "3", "b", "Complete", "True", "998", "9ms", "1.84s"}))

		header, row = columns(ctx, run.Name, "-o", "wide")
		Expect(header[11:]).To(Equal([]string{"MODE", "ERRORS", "PASSED", "REASON"}))
		Expect(row[10:]).To(Equal([]string{"linearizable", "212", "True", "Finished"}))
	})
})

func finishedStatus() v1alpha1.BenchmarkRunStatus {
	status := v1alpha1.BenchmarkRunStatus{
		Phase:    "Complete",
		Mode:     "linearizable",
		Workload: "b",
		Summary: &v1alpha1.Summary{
			Workload: "b", Outage: "1.84s",
			WorkloadSummary: v1alpha1.WorkloadSummary{Throughput: 998, Operations: 89820, Errors: 212, P99: "9ms"},
		},
	}
	for _, condition := range []string{v1alpha1.ConditionComplete, v1alpha1.ConditionValid, v1alpha1.ConditionPassed, v1alpha1.ConditionReady} {
		meta.SetStatusCondition(&status.Conditions, metav1.Condition{Type: condition, Status: metav1.ConditionTrue, Reason: "Finished"})
	}
	return status
}

// columns are what kubectl prints of a run: kubectl itself is asked, as it decides.
func columns(ctx context.Context, name string, more ...string) (header, row []string) {
	GinkgoHelper()
	args := append([]string{"get", "benchmarkruns", name, "--namespace", "default"}, more...)
	out := kubectl(ctx, args...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	Expect(lines).To(HaveLen(2))
	return strings.Fields(lines[0]), strings.Fields(lines[1])
}
