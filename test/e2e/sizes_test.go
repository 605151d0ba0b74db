//go:build e2e

package e2e

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/report"
)

var _ = Describe("A closed loop without a fault", Label("stores"), func() {
	// Five members and what loads them take all of two cores, which starves the generator: they
	// have a bound, and an election timeout to go with it.
	It("works on five members", func(ctx SpecContext) {
		run := newRun("size", nodes(5), threads(1), func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Store.Values = &apiextensionsv1.JSON{Raw: []byte(`{"resources":{"limits":{"cpu":"200m"}},"settings":{"election-timeout":3000}}`)}
		})
		found := measure(ctx, run)
		Expect(found.Store.Members).To(HaveLen(5))
		expectClosedLoop(found.Workloads[0])
	}, SpecTimeout(measureTimeout))
})

// expectClosedLoop wants what a closed loop has in a report, where nothing failed.
func expectClosedLoop(measured report.Workload) {
	GinkgoHelper()
	Expect(measured.Load.Model).To(Equal("closed"))
	Expect(measured.Succeeded).To(BeNumerically(">", 0))
	Expect(measured.Failed + measured.Unknown).To(BeZero())
	for _, operation := range measured.Operations {
		Expect(operation.ResponseTime).To(BeNil(), "a closed loop has no response time")
	}
}
