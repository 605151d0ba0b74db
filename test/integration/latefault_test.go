package integration

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

var _ = Describe("A fault whose injection the controller hears of late", Label("faults"), func() {
	It("was injected all the same, though the workers are done", func(context.Context) {
		s := newStage()
		s.sim.awaitFault.Store(true)
		late := newLateWatch("podchaos")
		var injects atomic.Bool
		DeferCleanup(s.start(s.results, func(next http.RoundTripper) http.RoundTripper {
			return roundTrip(func(request *http.Request) (*http.Response, error) {
				if strings.HasSuffix(request.URL.Path, "/podchaos") {
					switch {
					case request.Method == http.MethodPost:
						injects.Store(true)
						late.hold()
					case injects.Load() && request.URL.Query().Get("watch") != "true":
						late.release() // it is asked for past the cache
					}
				}
				return late.RoundTrip(next, request)
			})
		}))
		DeferCleanup(late.release)
		run := s.newRun(killedAtOnce)
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		Expect(injects.Load()).To(BeTrue(), "the injection was kept back")
		Expect(late.released()).To(BeClosed(), "it was asked for past the cache")
		s.nothingLeft(run)
	})

	It("keeps its target, and the time at which that was chosen", func(ctx context.Context) {
		s := newStage()
		s.sim.awaitFault.Store(true)
		late := newLateWatch("podchaos")
		const stale = 3 * time.Second // as old as a choice that would be made again
		var made atomic.Int64         // when, of Unix time in nanoseconds
		DeferCleanup(s.start(s.results, func(next http.RoundTripper) http.RoundTripper {
			return roundTrip(func(request *http.Request) (*http.Response, error) {
				kind, _, one := strings.Cut(request.URL.Path, "/podchaos/")
				switch {
				case request.Method == http.MethodPost && strings.HasSuffix(kind, "/podchaos"):
					if made.Load() == 0 {
						s.sim.holdJobs.add("worker")
						late.hold()
						made.Store(time.Now().UnixNano())
					}
				case request.Method == http.MethodGet && one && time.Now().UnixNano() > made.Load()+stale.Nanoseconds():
					late.release() // it is asked for past the cache
				}
				return late.RoundTrip(next, request)
			})
		}))
		DeferCleanup(late.release)
		run := s.newRun(killedAtOnce)
		Eventually(made.Load, time.Minute).ShouldNot(BeZero())
		for looks := 0; ; looks++ {
			select {
			case <-late.released():
			case <-time.After(100 * time.Millisecond):
				patch := fmt.Sprintf(`{"metadata":{"annotations":{"look":"%d"}}}`, looks)
				Expect(looks).To(BeNumerically("<", 600), "it was never asked for past the cache")
				Expect(k8sClient.Patch(ctx, run, client.RawPatch(types.MergePatchType, []byte(patch)))).To(Succeed())
				continue
			}
			break
		}
		s.sim.holdJobs.remove("worker")
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		fault := run.Status.Faults[0]
		Expect(fault.Target).NotTo(BeEmpty())
		Expect(fault.InjectedAfterUnixNanos).To(BeNumerically("<", made.Load()))
		Expect(fault.InjectedBeforeUnixNanos).To(BeNumerically(">", made.Load()))
		s.nothingLeft(run)
	})
})

func killedAtOnce(spec *v1alpha1.BenchmarkRunSpec) {
	spec.Load.Warmup = ptr.To(v1alpha1.Duration("0s"))
	spec.Faults = []v1alpha1.FaultSpec{{Name: "kill", Action: "ContainerKill", At: "0s"}}
}
