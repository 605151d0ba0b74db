package integration

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

var _ = Describe("a run whose pods don't run", Ordered, Label("trouble"), func() {
	var s *stage
	BeforeAll(func() {
		s = newStage()
		DeferCleanup(s.start(s.results, nil))
	})

	It("tells at the deadline of loading what the loader waited for", func() {
		s.sim.stuck.set("load", unschedulable("0/3 nodes are available: 3 Insufficient cpu."))
		DeferCleanup(func() { s.sim.stuck.free("load") })
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) { spec.Timeouts.Load = "2s" })
		s.reach(run, v1alpha1.ConditionFailed, "LoadFailed")
		Expect(meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFailed).Message).To(MatchRegexp(
			`^the records of workload a could not be loaded within 2s \(timeouts\.load\): pod \S+-load-a-0-x never ran: Unschedulable: 0/3 nodes are available: 3 Insufficient cpu\.$`))
		s.nothingLeft(run)
	})
})
