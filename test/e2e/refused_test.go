//go:build e2e

package e2e

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// A spec that contradicts itself never becomes an object.
var _ = Describe("The API server", Label("admission"), func() {
	DescribeTable("refuses", func(ctx SpecContext, change option, sentence string) {
		run := newRun("refused", openLoop, killLeader, change)
		err := k8s.Create(ctx, run, client.DryRunAll)
		Expect(apierrors.IsInvalid(err)).To(BeTrue(), "%v", err)
		Expect(err.Error()).To(ContainSubstring(sentence))
	},
		Entry("ten members", nodes(10), "spec.store.nodes"),
		Entry("no members", nodes(0), "spec.store.nodes"),
		Entry("a rate of 0", func(r *v1alpha1.BenchmarkRun) { r.Spec.Load.Rate = ptr.To[int64](0) }, "leave rate out for a closed loop"),
		Entry("no workloads", func(r *v1alpha1.BenchmarkRun) { r.Spec.Workloads = nil }, "spec.workloads"),
		Entry("two workloads of one name", func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Workloads = append(r.Spec.Workloads, r.Spec.Workloads[0])
		}, "Duplicate value"),
		Entry("duration and operations", func(r *v1alpha1.BenchmarkRun) { r.Spec.Workloads[0].Operations = ptr.To[int64](9) }, "set duration or operations, not both"),
		Entry("a workload that is nothing", func(r *v1alpha1.BenchmarkRun) { r.Spec.Workloads[0].Preset = "" }, "set preset (A to F), properties that say the mix, clients, or a trace"),
		Entry("a preset that isn't YCSB's", func(r *v1alpha1.BenchmarkRun) { r.Spec.Workloads[0].Preset = "G" }, "spec.workloads[0].preset"),
		Entry("arrivals in a closed loop", func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Load.Rate, r.Spec.Load.Arrivals = nil, "Poisson"
		}, "arrivals needs a rate"),
		Entry("a fault too near to the end", func(r *v1alpha1.BenchmarkRun) { r.Spec.Faults[0].At = "6s" }, "at least 10s before the end"),
		Entry("a fault without a known end", func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Workloads[0].Duration, r.Spec.Workloads[0].Operations = nil, ptr.To[int64](9)
		}, "a fault needs a workload with a duration"),
		Entry("a fault in no workload", func(r *v1alpha1.BenchmarkRun) { r.Spec.Faults[0].Workload = "z" }, "must be the name of an entry of workloads"),
		Entry("a member that there isn't", func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Faults[0].Target = &v1alpha1.FaultTarget{Member: ptr.To[int32](3)}
		}, "must be below store.nodes"),
		Entry("a target by role and by index", func(r *v1alpha1.BenchmarkRun) { r.Spec.Faults[0].Target.Member = ptr.To[int32](0) }, "set role or member"),
		Entry("an action that isn't there", func(r *v1alpha1.BenchmarkRun) { r.Spec.Faults[0].Action = "Meteorite" }, "spec.faults[0].action"),
		Entry("a storage class for ephemeral storage", func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Store.Storage = v1alpha1.StorageSpec{Ephemeral: true, ClassName: "local"}
		}, "storage.className has no meaning with storage.ephemeral"),
		Entry("a duration that isn't one", func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Workloads[0].Duration = ptr.To(v1alpha1.Duration("soon"))
		}, "spec.workloads[0].duration"),
	)
})
