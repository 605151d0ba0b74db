//go:build e2e

package e2e

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/results/forward"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/cassandra"
	"github.com/kvbench/kvbench/internal/stores/hazelcast"
	"github.com/kvbench/kvbench/internal/stores/ignite"
)

// ofJava are the stores whose members are Java processes.
var ofJava = map[string]bool{"cassandra": true, "hazelcast": true, "ignite": true}

// tellsItsCollector are those of them whose observer knows how long garbage collection stopped a member.
var tellsItsCollector = map[string]bool{"cassandra": true, "hazelcast": true}

var _ = Describe("A store of Java with a member killed under load", func() {
	for _, c := range []struct {
		store, mode, label string
	}{
		{"cassandra", cassandra.ModeQuorum, "stores"},
		{"hazelcast", hazelcast.ModeIMap, "java"},
		{"ignite", ignite.ModeAtomic, "stores"},
	} {
		It("loses no record, as "+c.store+", mode "+c.mode, Label(c.label), func(ctx SpecContext) {
			run := newRun(c.store, openLoop, gentle, killAny, seconds(25), func(r *v1alpha1.BenchmarkRun) {
				r.Spec.Store.Name, r.Spec.Store.Mode = c.store, c.mode
				r.Spec.Placement = &v1alpha1.PlacementSpec{
					Members: &v1alpha1.PodPlacement{Spread: v1alpha1.SpreadOneNode},
					Workers: &v1alpha1.WorkerPlacement{ToMembers: v1alpha1.ToMembersBeside},
				}
				scans := r.Spec.Workloads[0]
				scans.Name, scans.Preset, scans.Duration = "e", "E", ptr.To(v1alpha1.Duration("5s"))
				r.Spec.Workloads = append(r.Spec.Workloads, scans)
			})
			found := measure(ctx, run)
			Expect(found.Workloads).To(HaveLen(2))

			By("seeing all pods where the placement says")
			Expect(found.Placement).To(HaveField("ToMembers", "Beside"))
			Expect(found.Environment.Nodes).To(HaveLen(1))
			Expect(found.Environment.Nodes[0].Kernel).NotTo(BeEmpty())
			Expect(found.Environment.Pods).To(HaveLen(7), "three members, and two workers of each workload")
			Expect(found.Environment.Pods).To(HaveEach(HaveField("Digest", HavePrefix("sha256:"))))

			By("seeing that the member was away, and is back")
			Expect(found.Faults).To(HaveLen(1))
			Expect(found.Faults[0].Error).To(BeEmpty())
			Expect(found.Faults[0].Target).NotTo(BeEmpty())
			Expect(found.Faults[0].Effective).To(BeTrue())
			Expect(found.Faults[0].HealedAt).NotTo(BeNil())

			By("seeing what the members used, as their nodes' kubelets tell")
			Expect(found.Workloads[0].Usage).NotTo(BeNil())
			for _, member := range found.Workloads[0].Usage.Members {
				// A kubelet looks every ten to fifteen seconds. It may see the killed member only while
				// its machine starts anew, with an empty heap.
				least := 100 << 20
				if member.Member == found.Faults[0].Target {
					least = 10 << 20
					Expect(member.Restarted).To(BeTrue(), member.Member)
				} else if tellsItsCollector[c.store] {
					Expect(member.CollectorShare).To(HaveValue(BeNumerically("<", 1)), member.Member)
				}
				Expect(member.WorkingSetMaxBytes).To(HaveValue(BeNumerically(">", least)), member.Member)
				Expect(member.Cores).To(HaveValue(BeNumerically(">", 0.01)), member.Member)
			}

			By("having begun to scan when the store was whole again")
			Expect(meta.IsStatusConditionTrue(run.Status.Workloads[1].Conditions, v1alpha1.ConditionStoreWhole)).To(BeTrue())

			By("missing none of the records, and scanning them")
			did := map[string]int64{}
			for _, measured := range found.Workloads {
				for _, failure := range measured.Errors {
					Expect(failure.Code).NotTo(Equal(stores.CodeNotFound), "%+v", failure)
				}
				for _, operation := range measured.Operations {
					did[operation.Operation] += operation.Count
				}
			}
			Expect(did["READ"]).To(BeNumerically(">", 0))
			Expect(did["SCAN"]).To(BeNumerically(">", 0))
			expectSchema(download(ctx, openResults(ctx), run, forward.Report))
		}, SpecTimeout(measureTimeout))
	}
})
