package integration

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

var _ = Describe("the controller", Ordered, func() {
	var s *stage
	BeforeAll(func() { s = newStage() })

	It("brings a run to its report and leaves nothing", func() {
		DeferCleanup(s.start(s.results, nil))
		run := s.newRun(nil)
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		Expect(meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionReady)).To(BeTrue())
		Expect(run.Status.Summary.Throughput).To(BeEquivalentTo(990))
		Expect(run.Status.Mode).To(Equal("linearizable"))
		Expect(s.results.posts[string(run.UID)]).To(Equal(1))
		s.nothingLeft(run)
	})

	It("injects a fault at its time and heals it", func() {
		DeferCleanup(s.start(s.results, nil))
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Faults = []v1alpha1.FaultSpec{{Name: "kill", Action: "ContainerKill", At: "500ms", Target: &v1alpha1.FaultTarget{Member: ptr.To[int32](1)}}}
		})
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		line := s.results.faultLine(string(run.UID))
		Expect(line.Target).To(HaveSuffix("-1"))
		Expect(line.TermBefore).To(BeEquivalentTo(7))
		Expect(line.InjectedAfterUnixNanos).To(BeNumerically(">=", line.RequestedUnixNanos))
		injected := s.sim.injectedFor(run.UID)
		Expect(injected).To(HaveLen(1))
		Expect(injected[0].Annotations["kvbench.io/asked-after"]).To(HavePrefix("%d/", line.InjectedAfterUnixNanos), "the bracket begins when the object was asked for")
		Expect(line.InjectedBeforeUnixNanos).To(BeNumerically(">=", line.InjectedAfterUnixNanos))
		Expect(line.Late).To(BeFalse())
		s.nothingLeft(run)
	})

	It("fails a run whose worker is lost, reports what there is, and cleans up", func() {
		s.sim.failJobs.add("worker")
		DeferCleanup(func() { s.sim.failJobs.remove("worker") })
		DeferCleanup(s.start(s.results, nil))
		run := s.newRun(nil)
		s.reach(run, v1alpha1.ConditionFailed, "MeasurementLost")
		Expect(meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionStalled)).To(BeTrue())
		s.nothingLeft(run)
	})

	It("refuses what the catalog doesn't know, with nothing left", func() {
		DeferCleanup(s.start(s.results, nil))
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) { spec.Store.Name = "etdc" })
		s.reach(run, v1alpha1.ConditionAccepted, "UnknownStore")
		Expect(meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionAccepted).Message).To(ContainSubstring("etcd"))
		s.nothingLeft(run)
	})

	It("refuses values that the store's chart doesn't take", func() {
		DeferCleanup(s.start(s.results, nil))
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Store.Values = &apiextensionsv1.JSON{Raw: []byte(`{"settings":{"heartbeat":100}}`)}
		})
		s.reach(run, v1alpha1.ConditionAccepted, "ChartDoesNotRender")
		Expect(meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionAccepted).Message).To(And(
			HavePrefix("store etcd: its chart doesn't render with spec.store.values: at spec.store.values.settings: "),
			ContainSubstring("'heartbeat'"), ContainSubstring("docs/stores/etcd.md")))
		s.nothingLeft(run)
	})

	It("says what the observer sees of members that are ready and never well", func() {
		s.sim.keepUnready.add("observer")
		s.unwell.Store("etcd-1")
		DeferCleanup(func() { s.sim.keepUnready.remove("observer"); s.unwell.Store("") })
		DeferCleanup(s.start(s.results, nil))
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) { spec.Timeouts.Deploy = "8s" })
		s.reach(run, v1alpha1.ConditionStoreReady, "NotSteady")
		s.reach(run, v1alpha1.ConditionFailed, "DeployTimedOut")
		Expect(meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFailed).Message).To(ContainSubstring(
			"store etcd: 3 of 3 members were ready after 8s, and the observer was not ready: etcd-1 is not well: Unavailable"))
		Expect(s.results.hasWithdrawn(string(run.UID))).To(BeTrue(), "its place at the results server is another one's")
		s.nothingLeft(run)
	})

	It("refuses resources that make no sense", func() {
		DeferCleanup(s.start(s.results, nil))
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Load.Resources = &v1alpha1.ResourcesSpec{
				Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")},
				Limits:   corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")},
			}
		})
		s.reach(run, v1alpha1.ConditionFailed, "JobRefused")
		Expect(meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFailed).Message).To(ContainSubstring("must be less than or equal to cpu limit"))
		s.nothingLeft(run)
	})

	It("refuses a fault where Chaos Mesh isn't installed", func() {
		definition := chaosDefinition("PodChaos")
		Expect(s.sim.Delete(context.Background(), definition)).To(Succeed())
		DeferCleanup(installChaosMesh)
		Eventually(func() error {
			return s.sim.Get(context.Background(), client.ObjectKeyFromObject(definition), definition)
		}, time.Minute).Should(MatchError(ContainSubstring("not found")))
		DeferCleanup(s.start(s.results, nil))
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Faults = []v1alpha1.FaultSpec{{Name: "kill", Action: "ContainerKill", At: "500ms"}}
		})
		s.reach(run, v1alpha1.ConditionAccepted, "ChaosMeshMissing")
		s.reach(run, v1alpha1.ConditionFailed, "ChaosMeshMissing")
		Expect(meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionAccepted).Message).To(ContainSubstring("install its Helm chart"))
		s.reach(s.newRun(nil), v1alpha1.ConditionComplete, "Finished") // without faults there is no need for it
	})

	It("fails a run whose fault's kind goes away", func() {
		s.sim.awaitFault.Store(true)
		DeferCleanup(installChaosMesh)
		remove := sync.OnceFunc(func() {
			defer GinkgoRecover()
			Expect(s.sim.Delete(context.Background(), chaosDefinition("PodChaos"))).To(Succeed())
			Eventually(func() error { return s.sim.List(context.Background(), &chaos.PodChaosList{}) }, time.Minute).Should(HaveOccurred())
			s.sim.awaitFault.Store(false)
		})
		DeferCleanup(s.start(s.results, func(next http.RoundTripper) http.RoundTripper {
			return roundTrip(func(request *http.Request) (*http.Response, error) {
				if request.Method == http.MethodPost && strings.HasSuffix(request.URL.Path, "/podchaos") {
					remove()
				}
				return next.RoundTrip(request)
			})
		}))
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Faults = []v1alpha1.FaultSpec{{Name: "kill", Action: "ContainerKill", At: "500ms"}}
		})
		s.reach(run, v1alpha1.ConditionFailed, "FaultNotInjected")
		Expect(meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFailed).Message).To(ContainSubstring("could not find the requested resource"))
	})

	It("goes on after being killed again and again", func() {
		const shortest = 400 * time.Millisecond
		run, life := s.newRun(nil), shortest
		Eventually(func() bool {
			before, ended := run.ResourceVersion, false
			stop := s.start(s.results, nil)
			for begun := time.Now(); time.Since(begun) < life; {
				time.Sleep(50 * time.Millisecond)
				Expect(k8sClient.Get(context.Background(), client.ObjectKeyFromObject(run), run)).To(Succeed())
				ended = ended || meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionComplete)
			}
			stop()
			// A busy machine needs more than the shortest life: the caches are to be filled, and all
			// other runs to be looked at.
			if run.ResourceVersion == before {
				life *= 2
			} else {
				life = max(life/2, shortest)
			}
			return ended
		}, 2*time.Minute).Should(BeTrue())
		s.nothingLeft(run)
	})

	It("removes everything when a run is deleted while it measures", func() {
		s.sim.holdJobs.add("worker")
		DeferCleanup(func() { s.sim.holdJobs.remove("worker") })
		DeferCleanup(s.start(s.results, nil))
		run := s.newRun(nil)
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(context.Background(), client.ObjectKeyFromObject(run), run)).To(Succeed())
			g.Expect(run.Status.Phase).To(Equal("Measuring"))
		}, time.Minute).Should(Succeed())
		Expect(k8sClient.Delete(context.Background(), run)).To(Succeed())
		Eventually(func() error {
			return k8sClient.Get(context.Background(), client.ObjectKeyFromObject(run), run)
		}, time.Minute).Should(MatchError(ContainSubstring("not found")))
		s.nothingLeft(run)
	})

	It("has the results server keep nothing of a run that only waits for its turn", func() {
		s.sim.holdJobs.add("load")
		DeferCleanup(func() { s.sim.holdJobs.remove("load") })
		DeferCleanup(s.start(s.results, nil))
		first, second := s.newRun(nil), s.newRun(nil)
		s.reach(second, v1alpha1.ConditionAccepted, "Queued")
		s.reach(first, v1alpha1.ConditionStoreReady, "Steady")
		Expect(s.results.knows(first)).To(BeTrue())
		Expect(s.results.knows(second)).To(BeFalse())
		for _, run := range []*v1alpha1.BenchmarkRun{second, first} {
			Expect(k8sClient.Delete(context.Background(), run)).To(Succeed())
			Eventually(func() error {
				return k8sClient.Get(context.Background(), client.ObjectKeyFromObject(run), run)
			}, time.Minute).Should(MatchError(ContainSubstring("not found")))
		}
		Expect(s.results.knows(second)).To(BeFalse())
		Expect(s.results.hasWithdrawn(string(first.UID))).To(BeTrue())
	})

	It("runs one at a time, in order", func() {
		DeferCleanup(s.start(s.results, nil))
		first, second := s.newRun(nil), s.newRun(nil)
		s.reach(second, v1alpha1.ConditionAccepted, "Queued")
		s.reach(first, v1alpha1.ConditionComplete, "Finished")
		s.reach(second, v1alpha1.ConditionComplete, "Finished")
		Expect(second.Status.StartTime.Time).To(BeTemporally(">=", first.Status.CompletionTime.Time))
	})
})
