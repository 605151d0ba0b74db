package integration

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

var _ = Describe("the queue", Ordered, Label("queue"), func() {
	var s *stage
	BeforeAll(func() {
		s = newStage()
		s.results.measureFor = 100 * time.Millisecond
	})

	queued := func(run *v1alpha1.BenchmarkRun) bool {
		condition := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionAccepted)
		return condition != nil && condition.Reason == "Queued"
	}

	DescribeTable("gives each of many runs its turn, in order, and waiting costs nothing", func(count int) {
		var requests, writes atomic.Int64
		stop := s.start(s.results, func(next http.RoundTripper) http.RoundTripper {
			return roundTrip(func(request *http.Request) (*http.Response, error) {
				requests.Add(1)
				if mutates(request) {
					writes.Add(1)
				}
				return next.RoundTrip(request)
			})
		})
		DeferCleanup(func() { stop() })
		s.sim.holdJobs.add("worker")
		release := func() { s.sim.holdJobs.remove("worker") }
		DeferCleanup(release)
		runs := make([]*v1alpha1.BenchmarkRun, count)
		for i := range runs {
			runs[i] = s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) { spec.Load.Warmup = ptr.To(v1alpha1.Duration("0s")) })
		}
		By("one runs, the others wait")
		Eventually(func(g Gomega) {
			for i, run := range runs {
				g.Expect(k8sClient.Get(context.Background(), client.ObjectKeyFromObject(run), run)).To(Succeed())
				if i == 0 {
					g.Expect(run.Status.Phase).To(Equal("Measuring"))
				} else {
					g.Expect(queued(run)).To(BeTrue(), "%s: %+v", run.Name, run.Status.Conditions)
				}
			}
		}, 2*time.Minute, 100*time.Millisecond).Should(Succeed())

		By("looking at what waiting costs for 15 s")
		before, wrote := requests.Load(), writes.Load()
		time.Sleep(15 * time.Second) // the span that is looked at
		asked, written := requests.Load()-before, writes.Load()-wrote
		AddReportEntry(fmt.Sprintf("%d runs: %d requests, %d of them writes, in 15 s while one measures", count, asked, written))
		// The one that measures tells its progress every five seconds.
		Expect(written).To(BeNumerically("<=", 4))
		Expect(asked).To(BeNumerically("<=", 30))

		By("all get their turn, in the order of their creation")
		release()
		var last time.Time
		for _, run := range runs {
			s.reach(run, v1alpha1.ConditionComplete, "Finished")
			Expect(run.Status.StartTime.Time).To(BeTemporally(">=", last.Truncate(time.Second)), run.Name)
			last = run.Status.CompletionTime.Time
			s.nothingLeft(run)
		}
		for _, run := range runs {
			Expect(k8sClient.Delete(context.Background(), run)).To(Succeed())
		}
	},
		Entry("8 runs", 8),
		Entry("200 runs", Label("robustness"), 200))

	It("lets nobody begin beside a run whose Lease was deleted", func() {
		DeferCleanup(s.start(s.results, nil))
		s.sim.holdJobs.add("worker")
		release := func() { s.sim.holdJobs.remove("worker") }
		DeferCleanup(release)
		first, second := s.newRun(nil), s.newRun(nil)
		look := func(g Gomega) {
			for _, run := range []*v1alpha1.BenchmarkRun{first, second} {
				g.Expect(k8sClient.Get(context.Background(), client.ObjectKeyFromObject(run), run)).To(Succeed())
			}
			g.Expect(first.Status.Phase).To(Equal("Measuring"))
			g.Expect(queued(second)).To(BeTrue(), "%+v", second.Status.Conditions)
		}
		Eventually(look, time.Minute, 50*time.Millisecond).Should(Succeed())

		leases := &coordinationv1.LeaseList{}
		Expect(k8sClient.List(context.Background(), leases, client.InNamespace(systemNamespace))).To(Succeed())
		leases.Items = slices.DeleteFunc(leases.Items, func(l coordinationv1.Lease) bool {
			return l.Spec.HolderIdentity == nil || !strings.HasSuffix(*l.Spec.HolderIdentity, string(first.UID))
		})
		Expect(leases.Items).To(HaveLen(1))
		Expect(k8sClient.Delete(context.Background(), &leases.Items[0])).To(Succeed())
		Consistently(look, 5*time.Second, 100*time.Millisecond).Should(Succeed())

		release()
		for _, run := range []*v1alpha1.BenchmarkRun{first, second} {
			s.reach(run, v1alpha1.ConditionComplete, "Finished")
			Expect(k8sClient.Delete(context.Background(), run)).To(Succeed())
		}
	})

	It("waits for no run that it let go, and that another one's finalizer keeps", func() {
		DeferCleanup(s.start(s.results, nil))
		s.sim.holdJobs.add("worker")
		DeferCleanup(func() { s.sim.holdJobs.remove("worker") })
		kept := s.newRun(nil)
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(context.Background(), client.ObjectKeyFromObject(kept), kept)).To(Succeed())
			g.Expect(kept.Status.Phase).To(Equal("Measuring"))
		}, time.Minute, 50*time.Millisecond).Should(Succeed())
		finalize := func(finalizers func([]string) []string) {
			Eventually(func() error {
				if err := k8sClient.Get(context.Background(), client.ObjectKeyFromObject(kept), kept); err != nil {
					return err
				}
				kept.Finalizers = finalizers(kept.Finalizers)
				return k8sClient.Update(context.Background(), kept)
			}).Should(Succeed())
		}
		finalize(func(all []string) []string { return append(all, "example.com/keeps") })
		Expect(k8sClient.Delete(context.Background(), kept)).To(Succeed())
		s.sim.holdJobs.remove("worker")
		run := s.newRun(nil)
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		Expect(k8sClient.Delete(context.Background(), run)).To(Succeed())
		Expect(k8sClient.Get(context.Background(), client.ObjectKeyFromObject(kept), kept)).To(Succeed())
		Expect(kept.Finalizers).To(Equal([]string{"example.com/keeps"}))
		finalize(func([]string) []string { return nil })
	})
})
