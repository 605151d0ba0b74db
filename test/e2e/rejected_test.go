//go:build e2e

package e2e

import (
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// rejectTimeout bounds one entry of the table.
const rejectTimeout = SpecTimeout(3 * time.Minute)

// What only the controller can know ends a run before anything is deployed.
var _ = Describe("The controller", Label("admission"), func() {
	DescribeTable("does not accept", func(ctx SpecContext, change option, words []string) {
		run := newRun("rejected", openLoop, killLeader, change)
		apply(ctx, run)
		awaitEnd(ctx, run, 30*time.Second)
		accepted := expectCondition(run, v1alpha1.ConditionAccepted, metav1.ConditionFalse)
		for _, word := range words {
			Expect(strings.ToLower(accepted.Message)).To(ContainSubstring(strings.ToLower(word)))
		}
		failed := expectCondition(run, v1alpha1.ConditionFailed, metav1.ConditionTrue)
		Expect(failed.Reason).To(Equal(accepted.Reason))
		expectNothingLeft(ctx, run)
	},
		Entry("an unknown store, and it suggests one",
			func(r *v1alpha1.BenchmarkRun) { r.Spec.Store.Name = "etdc" }, []string{"etdc", "etcd"}, rejectTimeout),
		Entry("an unknown mode, and it lists them",
			func(r *v1alpha1.BenchmarkRun) { r.Spec.Store.Mode = "eventual" }, []string{"eventual", "linearizable", "serializable"}, rejectTimeout),
		Entry("scans of a store that has none", func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Store = v1alpha1.StoreSpec{Name: "memcached", Nodes: 3}
			r.Spec.Workloads[0].Preset, r.Spec.Faults = "E", nil
		}, []string{"spec.workloads[0]", "memcached", "no scan"}, rejectTimeout),
		Entry("a pod kill without a volume", func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Store.Storage.Ephemeral, r.Spec.Store.Nodes = true, 1
			r.Spec.Faults[0].Action = "PodKill"
		}, []string{"PodKill", "ephemeral"}, rejectTimeout),
		Entry("a storage class that there isn't",
			func(r *v1alpha1.BenchmarkRun) { r.Spec.Store.Storage.ClassName = "gold" }, []string{"gold"}, rejectTimeout),
		Entry("a service account that there isn't",
			func(r *v1alpha1.BenchmarkRun) { r.Spec.ServiceAccountName = "nobody" }, []string{"nobody"}, rejectTimeout),
		Entry("values that the chart doesn't know", func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Store.Values = &apiextensionsv1.JSON{Raw: []byte(`{"replicass": 3}`)}
		}, []string{"replicass"}, rejectTimeout),
		Entry("a property that names a file", func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Workloads[0].Properties = map[string]v1alpha1.PropertyValue{"exportfile": "/etc/passwd"}
		}, []string{"exportfile"}, rejectTimeout))
})
