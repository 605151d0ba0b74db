//go:build e2e

package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

var _ = Describe("Members that never get ready", Label("deploy"), func() {
	for _, c := range []struct {
		name, says string
		deadline   v1alpha1.Duration
		labels     Labels
		change     option
	}{
		{"since their image is missing", "ImagePull", "25s", Label("robustness"), func(r *v1alpha1.BenchmarkRun) { r.Spec.Store.Version = "v0.0.0-missing" }},
		{"since no Kubernetes node is large enough", "Insufficient cpu", "15s", Label("robustness"), func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Store.Resources = &v1alpha1.ResourcesSpec{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1000")}}
		}},
		{"since they end again and again", "election-timeout", "15s", nil, func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Store.Values = &apiextensionsv1.JSON{Raw: []byte(`{"settings":{"heartbeat-interval":1000,"election-timeout":1000}}`)}
		}},
	} {
		It("fail the run at its deadline with the pod's own words, "+c.name, c.labels, func(ctx SpecContext) {
			run := newRun("notready", c.change)
			run.Spec.Timeouts.Deploy = c.deadline
			apply(ctx, run)
			awaitEnd(ctx, run, 2*time.Minute)
			failed := expectCondition(run, v1alpha1.ConditionFailed, metav1.ConditionTrue)
			AddReportEntry("message", failed.Message)
			Expect(failed.Reason).To(Equal("DeployTimedOut"))
			Expect(failed.Message).To(ContainSubstring(c.says))
			expectNothingLeft(ctx, run)
		}, SpecTimeout(4*time.Minute))
	}
})
