//go:build e2e

package e2e

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A closed loop without a fault", Label("sizes"), func() {
	// With three members most of the other specs are. Four threads and five members take all of two
	// cores, which starves the generator.
	DescribeTable("works on the other usual sizes of the store", func(ctx SpecContext, members, loadThreads int) {
		run := newRun("size", nodes(int32(members)), threads(int32(loadThreads)))
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
		Entry("1 member", 1, 4, SpecTimeout(measureTimeout)),
		Entry("5 members", 5, 1, SpecTimeout(measureTimeout)))
})
