//go:build e2e

package e2e

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

var _ = Describe("A service account without rights", Label("deploy"), func() {
	It("gets no store, and the run says why", func(ctx SpecContext) {
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "e2e-powerless"}}
		Expect(k8s.Create(ctx, account)).To(Succeed())
		DeferCleanup(func(ctx context.Context) { Expect(k8s.Delete(ctx, account)).To(Succeed()) })

		run := newRun("powerless", func(r *v1alpha1.BenchmarkRun) { r.Spec.ServiceAccountName = account.Name })
		apply(ctx, run)
		awaitEnd(ctx, run, time.Minute)
		failed := expectCondition(run, v1alpha1.ConditionFailed, metav1.ConditionTrue)
		Expect(failed.Reason).To(Equal("DeployRefused"))
		Expect(failed.Message).To(ContainSubstring(account.Name))
		expectNothingLeft(ctx, run)
	}, SpecTimeout(3*time.Minute))
})
