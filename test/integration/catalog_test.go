package integration

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

var _ = Describe("the catalog", Ordered, Label("stores"), func() {
	var s *stage
	BeforeAll(func() { s = newStage() })

	for _, name := range catalog.Deployable() {
		It("has "+name+", which the API server takes and gives back", func() {
			DeferCleanup(s.start(s.results, nil))
			run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) { spec.Store = v1alpha1.StoreSpec{Name: name, Nodes: 3} })
			s.reach(run, v1alpha1.ConditionComplete, "Finished")
			s.nothingLeft(run)
		})
	}

	It("refuses scans of a store without, before anything is deployed", func() {
		DeferCleanup(s.start(s.results, nil))
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Store = v1alpha1.StoreSpec{Name: "memcached", Nodes: 3}
			spec.Workloads = []v1alpha1.WorkloadSpec{{Name: "e", Preset: "E", Records: ptr.To[int64](10)}}
		})
		s.reach(run, v1alpha1.ConditionAccepted, "InvalidProperty")
		Expect(meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionAccepted).Message).
			To(And(ContainSubstring("spec.workloads[0]"), ContainSubstring("memcached in its mode sharded has no scan"), ContainSubstring("A, B, C, D or F")))
		s.nothingLeft(run)
	})
})
