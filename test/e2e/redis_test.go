//go:build e2e

package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/results/forward"
	"github.com/kvbench/kvbench/internal/stores"
)

// Two seconds until the Sentinels miss a primary, which doesn't take its role up again: so there
// is always a failover.
const (
	alwaysFailOver  = `{"settings":{"resume":false},"sentinel":{"down-after-milliseconds":2000}}`
	shortestSilence = 2 * time.Second
	longestFailover = 20 * time.Second
)

var _ = Describe("Redis with its primary killed under load", Label("stores"), func() {
	It("has another primary, and the report says for how long it had none", func(ctx SpecContext) {
		run := newRun("redis", openLoop, killLeader, func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Store = v1alpha1.StoreSpec{Name: "redis", Nodes: 3, Values: &apiextensionsv1.JSON{Raw: []byte(alwaysFailOver)}}
			r.Spec.Workloads[0].Duration = ptr.To(v1alpha1.Duration("45s"))
			r.Spec.Workloads = append(r.Spec.Workloads, v1alpha1.WorkloadSpec{
				Name: "e", Preset: "E", Records: ptr.To[int64](1000), Duration: ptr.To(v1alpha1.Duration("5s")),
			})
		})
		found := measure(ctx, run)
		Expect(found.Store.Promise).To(BeEquivalentTo(stores.PromiseEventual))
		Expect(found.Store.Persistent).To(HaveValue(BeTrue()))
		Expect(found.Workloads).To(HaveLen(2))
		Expect(found.Workloads[0].Throughput).To(BeNumerically(">", 50), "half of the rate")

		By("seeing another primary, and an outage of a plausible length")
		Expect(found.Faults).To(HaveLen(1))
		fault := found.Faults[0]
		Expect(fault.Error).To(BeEmpty())
		Expect(fault.Effective).To(BeTrue())
		Expect(fault.Target).To(Equal(fault.LeaderBefore))
		Expect(fault.LeaderAfter).NotTo(BeElementOf("", fault.LeaderBefore))
		Expect(fault.TermAfter).To(BeNumerically(">", fault.TermBefore))
		Expect(fault.OutageMicros).NotTo(BeNil())
		outage := time.Duration(*fault.OutageMicros) * time.Microsecond
		Expect(outage).To(BeNumerically(">", shortestSilence))
		Expect(outage).To(BeNumerically("<", longestFailover))
		Expect(fault.OutageCensored).To(BeFalse())
		Expect(fault.HealedAt).NotTo(BeNil())

		By("seeing scans after it")
		var kinds []string
		for _, operation := range found.Workloads[1].Operations {
			Expect(operation.Outcome).To(Equal("ok"))
			kinds = append(kinds, operation.Operation)
		}
		Expect(kinds).To(ConsistOf("SCAN", "INSERT"))

		By("checking the report against its schema")
		expectSchema(download(ctx, openResults(ctx), run, forward.Report))
	}, SpecTimeout(measureTimeout))
})
