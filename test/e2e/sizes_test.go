//go:build e2e

package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

var _ = Describe("A closed loop without a fault", Label("sizes"), func() {
	DescribeTable("works on every usual size of the store", func(ctx SpecContext, members int) {
		run := newRun("size", nodes(int32(members)))
		apply(ctx, run)
		awaitEnd(ctx, run, endTimeout)
		expectCondition(run, v1alpha1.ConditionComplete, metav1.ConditionTrue)
		expectCondition(run, v1alpha1.ConditionValid, metav1.ConditionTrue)
		expectNothingLeft(ctx, run)

		found := readReport(ctx, run)
		Expect(found.Store.Members).To(HaveLen(members))
		measured := found.Workloads[0]
		Expect(measured.Load.Model).To(Equal("closed"))
		Expect(measured.Succeeded).To(BeNumerically(">", 0))
		Expect(measured.Failed + measured.Unknown).To(BeZero())
		for _, operation := range measured.Operations {
			Expect(operation.ResponseTime).To(BeNil(), "a closed loop has no response time")
		}
	},
		Entry("1 member", 1, SpecTimeout(endTimeout+time.Minute)),
		Entry("3 members", 3, SpecTimeout(endTimeout+time.Minute)),
		Entry("5 members", 5, SpecTimeout(endTimeout+time.Minute)))
})
