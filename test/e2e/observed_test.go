//go:build e2e

package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/stores"
)

// These specs share one run: of etcd over TLS, without volumes, whose leader's pod is killed.
var _ = Describe("A run over TLS whose leader loses its data with its pod", Ordered, ContinueOnFailure,
	Label("security", "prometheus"), func() {
		var (
			begin  time.Time
			server *appsv1.Deployment
			run    *v1alpha1.BenchmarkRun
			secret map[string]string // what is in the run's Secret, by the names of its files
		)
		BeforeAll(func(ctx SpecContext) {
			begin = time.Now()
			server = deployPrometheus(ctx)
			run = newRun("observed", openLoop, killLeader, seconds(40), func(r *v1alpha1.BenchmarkRun) {
				r.Spec.Store.Security = v1alpha1.SecurityTLS
				r.Spec.Store.Storage.Ephemeral = true
				r.Spec.Faults[0].Action = "PodKill"
			})
			apply(ctx, run)
			secret = secretOf(ctx, run)
		}, NodeTimeout(measureTimeout))

		AfterEach(func(ctx SpecContext) {
			if CurrentSpecReport().Failed() {
				dump(ctx, run)
			}
		})

		var scraping prometheus
		var logs map[string]string // of all pods, while the run is measured
		It("is seen by a real Prometheus", func(ctx SpecContext) {
			scraping = awaitPrometheus(ctx, server)
			await(ctx, run, faultInjected)
			logs = readLogs(ctx, run)
			expectScraped(ctx, scraping)
		}, SpecTimeout(measureTimeout))

		var found *report.Report
		It("serves its clients, and leaves no secret", func(ctx SpecContext) {
			Expect(logs).NotTo(BeEmpty())
			found = readEnd(ctx, run)
			Expect(found.Faults).To(HaveLen(1))
			Expect(found.Faults[0].Effective).To(BeTrue())
			Expect(found.Faults[0].OutageCensored).To(BeFalse())
			expectSecure(ctx, run, found, secret, logs)
		}, SpecTimeout(measureTimeout))

		It("has an answer for each query of the dashboards", func(ctx SpecContext) {
			Expect(found).NotTo(BeNil(), "there is no report")
			expectDashboards(ctx, scraping, compile.RunID(run.Name, string(run.UID)), begin)
		}, SpecTimeout(3*time.Minute))

		It("takes the member in anew, and no record is lost", func() {
			Expect(found).NotTo(BeNil(), "there is no report")
			fault := found.Faults[0]
			Expect(fault.Target).To(Equal(fault.LeaderBefore))
			Expect(fault.OutageMicros).NotTo(BeNil())
			Expect(found.Repairs).To(HaveLen(1))
			Expect(found.Repairs[0].What).To(HavePrefix(fault.Target + " was taken in anew"))
			for _, failure := range found.Workloads[0].Errors {
				Expect(failure.Code).NotTo(Equal(stores.CodeNotFound), "%+v", failure)
			}
		})
	})
