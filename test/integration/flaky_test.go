package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// flaky breaks one call in ten to the API server: it fails before it arrives, its answer
// gets lost, the server errs, or somebody else was faster.
type flaky struct {
	next   http.RoundTripper
	on     *atomic.Bool // off while the controller starts: one that can't is started again
	mu     *sync.Mutex
	rng    *rand.Rand
	calls  *atomic.Int64
	broken *atomic.Int64
}

func (f *flaky) RoundTrip(request *http.Request) (*http.Response, error) {
	if !f.on.Load() {
		return f.next.RoundTrip(request)
	}
	f.calls.Add(1)
	f.mu.Lock()
	hit, how := f.rng.IntN(10) == 0, f.rng.IntN(4)
	f.mu.Unlock()
	if !hit || request.URL.Query().Get("watch") == "true" {
		return f.next.RoundTrip(request)
	}
	f.broken.Add(1)
	switch {
	case how == 0:
		return nil, errBroken
	case how == 1:
		if response, err := f.next.RoundTrip(request); err == nil {
			response.Body.Close()
		}
		return nil, errBroken
	case how == 2 && (request.Method == http.MethodPut || request.Method == http.MethodPatch):
		return answer(request, http.StatusConflict, metav1.StatusReasonConflict), nil
	}
	return answer(request, http.StatusInternalServerError, metav1.StatusReasonInternalError), nil
}

// bodyOf is what a request would send; it can still be sent.
func bodyOf(request *http.Request) string {
	if request.Body == nil {
		return ""
	}
	body, err := io.ReadAll(request.Body)
	request.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		return ""
	}
	return string(body)
}

func answer(request *http.Request, code int, reason metav1.StatusReason) *http.Response {
	body, err := json.Marshal(metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
		Code: int32(code), Reason: reason, Message: "broken by the test",
	})
	if err != nil {
		panic(err)
	}
	return &http.Response{
		Status: http.StatusText(code), StatusCode: code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: request,
		Header: http.Header{"Content-Type": []string{"application/json"}}, Body: io.NopCloser(bytes.NewReader(body)),
	}
}

var _ = Describe("an API server that fails one call in ten", Ordered, Label("flaky"), func() {
	var s *stage
	BeforeAll(func() {
		s = newStage()
		s.results.measureFor = 100 * time.Millisecond
		s.sim.awaitFault.Store(true)
	})

	DescribeTable("leaves no run stuck, and nothing behind", func(count int) {
		var calls, broken atomic.Int64
		var mu sync.Mutex
		var on atomic.Bool
		rng := rand.New(rand.NewPCG(uint64(GinkgoRandomSeed()), 0))
		DeferCleanup(s.start(s.results, func(next http.RoundTripper) http.RoundTripper {
			return &flaky{next: next, on: &on, mu: &mu, rng: rng, calls: &calls, broken: &broken}
		}))
		on.Store(true)
		runs := make([]*v1alpha1.BenchmarkRun, count)
		for i := range runs {
			runs[i] = s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
				spec.Load.Warmup = ptr.To(v1alpha1.Duration("0s"))
				spec.Faults = []v1alpha1.FaultSpec{{Name: "kill", Action: "ContainerKill", At: "0s"}}
			})
		}
		complete := 0
		for _, run := range runs {
			Eventually(func(g Gomega) {
				g.Expect(k8sClient.Get(context.Background(), client.ObjectKeyFromObject(run), run)).To(Succeed())
				conditions := run.Status.Conditions
				g.Expect(meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionComplete) ||
					meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionFailed)).To(BeTrue(), "%+v", conditions)
			}, time.Duration(count)*30*time.Second, 50*time.Millisecond).Should(Succeed())
			if meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionComplete) {
				complete++
			} else {
				// The one thing that may not wait until the server is well again is a fault.
				Expect(meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFailed).Reason).To(Equal("FaultNotInjected"))
			}
			Expect(meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionCleanedUp)).To(BeTrue())
			for name, times := range s.sim.madeFor(run) {
				Expect(times).To(Equal(1), "Job %s was made more than once", name)
			}
			s.nothingLeft(run)
		}
		AddReportEntry(fmt.Sprintf("%d of %d runs complete; %d of %d calls broken", complete, count, broken.Load(), calls.Load()))
		Expect(broken.Load()).To(BeNumerically(">", calls.Load()/20))
		for _, run := range runs {
			Expect(k8sClient.Delete(context.Background(), run)).To(Succeed())
		}
		for _, run := range runs {
			Eventually(func() error {
				return k8sClient.Get(context.Background(), client.ObjectKeyFromObject(run), run)
			}, 2*time.Minute, 50*time.Millisecond).Should(MatchError(ContainSubstring("not found")))
		}
	},
		Entry("in 5 runs", 5),
		Entry("in 100 runs", Label("robustness"), 100))
})
