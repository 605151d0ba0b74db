package integration

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers"
)

// meter counts the requests to the API server, watches among them.
type meter struct {
	mu       sync.Mutex
	requests map[string]int
}

func (m *meter) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(request *http.Request) (*http.Response, error) {
		m.mu.Lock()
		m.requests[request.Method+" "+request.URL.Path]++
		m.mu.Unlock()
		return next.RoundTrip(request)
	})
}

// take is what was counted since the last time.
func (m *meter) take() (total int, which []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for request, count := range m.requests {
		total += count
		which = append(which, fmt.Sprintf("%d × %s", count, request))
	}
	m.requests = map[string]int{}
	slices.Sort(which)
	return total, which
}

// What docs/reliability.md says of a controller at rest.
var _ = Describe("a controller at rest", Ordered, Label("rest"), func() {
	const (
		span = 20 * time.Second // that is looked at
		// leading: the leader's Lease is renewed every two seconds.
		leading = int(span/(2*time.Second)) + 1
		// telling: a measurement's progress is told every five seconds.
		telling = int(span/(5*time.Second)) + 1
		// comparing: the results server's clock is asked for once a minute, eight times.
		comparing = 8
	)
	var s *stage
	var requests *meter
	BeforeAll(func() {
		s = newStage()
		requests = &meter{requests: map[string]int{}}
		DeferCleanup(s.start(s.results, requests.wrap, func(options *ctrl.Options) {
			elects := rest.CopyConfig(restConfig)
			elects.Wrap(requests.wrap)
			Expect(controllers.Elect(options, elects, systemNamespace)).To(Succeed())
		}))
	})

	look := func(what string, most, mostOfResults int) {
		GinkgoHelper()
		before := s.results.requests()
		requests.take()
		time.Sleep(span) // it is what is looked at
		total, which := requests.take()
		ofResults := s.results.requests() - before
		AddReportEntry(fmt.Sprintf("%s: %d requests to the API server and %d to the results server in %s", what, total, ofResults, span), which)
		Expect(total).To(BeNumerically("<=", most), "%v", which)
		Expect(total).To(BeNumerically(">", 0), "the leader's Lease was not renewed: the meter counts nothing")
		Expect(ofResults).To(BeNumerically("<=", mostOfResults))
	}

	It("asks for nothing but its leadership while no run is under way", func() {
		run := s.newRun(nil)
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		// The run's last event follows its status.
		Eventually(func(g Gomega) {
			events := &eventsv1.EventList{}
			g.Expect(k8sClient.List(context.Background(), events, client.InNamespace(run.Namespace))).To(Succeed())
			g.Expect(events.Items).To(ContainElement(And(HaveField("Regarding.UID", run.UID), HaveField("Reason", "Finished"))))
		}).Should(Succeed())
		look("one run that ended", leading, 0)
	})

	It("tells the progress of a measurement, and asks for nothing else", func() {
		s.sim.holdJobs.add("worker")
		DeferCleanup(func() { s.sim.holdJobs.remove("worker") })
		run := s.newRun(nil)
		DeferCleanup(func() { // the next stage's run waits for its end, and that one's ledger doesn't know it
			Expect(k8sClient.Delete(context.Background(), run)).To(Succeed())
			Eventually(func() error {
				return k8sClient.Get(context.Background(), client.ObjectKeyFromObject(run), run)
			}, time.Minute, 50*time.Millisecond).Should(MatchError(ContainSubstring("not found")))
		})
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(context.Background(), client.ObjectKeyFromObject(run), run)).To(Succeed())
			g.Expect(run.Status.Progress).NotTo(BeNil())
			g.Expect(run.Status.Progress.ElapsedSeconds).To(BeNumerically(">", 0))
		}, time.Minute, 50*time.Millisecond).Should(Succeed())
		look("one run that measures", leading+telling, comparing)
	})
})
