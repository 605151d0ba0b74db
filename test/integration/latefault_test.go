package integration

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/utils/ptr"

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
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Load.Warmup = ptr.To(v1alpha1.Duration("0s"))
			spec.Faults = []v1alpha1.FaultSpec{{Name: "kill", Action: "ContainerKill", At: "0s"}}
		})
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		Expect(injects.Load()).To(BeTrue(), "the injection was kept back")
		Expect(late.released()).To(BeClosed(), "it was asked for past the cache")
		s.nothingLeft(run)
	})
})
