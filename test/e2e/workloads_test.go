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
	It("are measured one after another, with serializable reads", func(ctx SpecContext) {
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
		found := measure(ctx, run)
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
