//go:build e2e

package e2e

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

var _ = Describe("A closed loop without a fault", Label("sizes"), func() {
	// With three members most of the other specs are. Five members and what loads them take all of two
	// cores, which starves the generator: they have a bound, and an election timeout to go with it.
	DescribeTable("works on the other usual sizes of the store", func(ctx SpecContext, members, loadThreads int, values string) {
		run := newRun("size", nodes(int32(members)), threads(int32(loadThreads)), func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Store.Values = &apiextensionsv1.JSON{Raw: []byte(values)}
		})
		found := measure(ctx, run)
		expectValid(run, found)
		Expect(found.Store.Members).To(HaveLen(members))
		measured := found.Workloads[0]
		Expect(measured.Load.Model).To(Equal("closed"))
		Expect(measured.Succeeded).To(BeNumerically(">", 0))
		Expect(measured.Failed + measured.Unknown).To(BeZero())
		for _, operation := range measured.Operations {
			Expect(operation.ResponseTime).To(BeNil(), "a closed loop has no response time")
		}
	},
		Entry("1 member", 1, 4, `{}`, SpecTimeout(measureTimeout)),
		Entry("5 members", 5, 1, `{"resources":{"limits":{"cpu":"200m"}},"settings":{"election-timeout":3000}}`, SpecTimeout(measureTimeout)))
})
