//go:build e2e

package e2e

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

var _ = Describe("YCSB's other presets", Label("stores", "workloads"), func() {
	It("are measured one after another, with serializable reads, and one with a load of its own", func(ctx SpecContext) {
		kinds := map[string][]string{
			"B": {"READ", "UPDATE"},
			"C": {"READ"},
			"D": {"READ", "INSERT"},
			"E": {"SCAN", "INSERT"},
			"F": {"READ", "UPDATE", "READ-MODIFY-WRITE"},
		}
		run := newRun("presets", nodes(1), func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Store.Mode = "serializable"
			r.Spec.Workloads = nil
			for _, preset := range []string{"B", "C", "D", "E", "F"} {
				r.Spec.Workloads = append(r.Spec.Workloads, v1alpha1.WorkloadSpec{
					Name: strings.ToLower(preset), Preset: preset,
					Records: ptr.To[int64](200), Duration: ptr.To(v1alpha1.Duration("3s")),
				})
			}
		})
		own := &v1alpha1.WorkloadLoadSpec{Workers: ptr.To[int32](2), Rate: ptr.To[int64](40), Arrivals: "Constant"}
		run.Spec.Workloads[1].Load = own
		found := measure(ctx, run)
		Expect(found.Workloads[0].Load.Rate).To(BeZero(), "a closed loop")
		Expect(found.Workloads[1].Load.Workers).To(BeEquivalentTo(*own.Workers))
		Expect(found.Workloads[1].Intended).To(BeEquivalentTo(3 * *own.Rate))
		Expect(found.Store.Mode).To(Equal("serializable"))
		Expect(found.Workloads).To(HaveLen(len(kinds)))
		for _, measured := range found.Workloads {
			var seen []string
			for _, operation := range measured.Operations {
				Expect(operation.Outcome).To(Equal("ok"), "workload %s", measured.Name)
				seen = append(seen, operation.Operation)
			}
			Expect(seen).To(ConsistOf(kinds[measured.Preset]), "workload %s", measured.Name)
		}
	}, SpecTimeout(measureTimeout))
})
