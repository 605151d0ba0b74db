package integration

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/report"
)

// The beginning that all runs have which get their turn at once.
var begins = []string{
	"Normal Planned: the spec makes sense, and its plan is kept",
	"Normal Admitted: it is this run's turn",
	"Normal Deploying: the release is installed; waiting until all members are ready and the observer sees them",
	"Normal Steady: all members are ready, and the observer sees them",
	"Normal Loaded: workload a: 1000 records are in the store",
	"Normal Armed: workload a: 1 of 1 workers are connected and wait for the start",
	"Normal Measuring: workload a: all workers were given the same start, and measure from then on",
}

// The end that all have which are not cancelled.
var torndown = []string{
	"Normal TearingDown: removing what the run created",
	"Normal AllGone: nothing that the run created is left",
}

var stories = map[string][]string{
	"success with a fault": slices.Concat(begins, []string{
		"Normal FaultIntended: fault kill is due; its target is RUN-1",
		"Normal FaultInjected: fault kill was injected into RUN-1",
		"Normal FaultHealed: fault kill is over, and its object is gone",
		"Normal Measured: workload a: the results server has everything that the workers recorded",
		"Normal Stored: the report is at the results server",
	}, torndown, []string{
		"Normal Finished: workloads measured: 1, faults injected: 1; the report is stored",
	}),
	"failure": slices.Concat(begins, []string{
		"Warning MeasurementLost: a worker of workload a was lost; a measurement is never repeated in silence: pod RUN-measure-a-0-x: Evicted: The node was low on resource: memory.",
		"Normal Stored: the report is at the results server",
		"Warning WorkerLost: the numbers are not valid: worker 0: its log is missing",
	}, torndown, []string{
		"Warning Failed: the run is over; it failed: MeasurementLost",
	}),
	"refusal": {
		"Warning UnknownStore: ",
	},
	"cancel": slices.Concat(begins, []string{
		"Normal Cancelled: the run was deleted before its end: removing what the run created",
		"Normal AllGone: nothing that the run created is left",
	}),
	"queue": slices.Concat([]string{
		"Normal Queued: waiting for its turn behind run OTHER: runs on one cluster disturb each other, so one runs at a time",
	}, begins[1:], []string{
		"Normal Measured: workload a: the results server has everything that the workers recorded",
		"Normal Stored: the report is at the results server",
	}, torndown, []string{
		"Normal Finished: workloads measured: 1, faults injected: 0; the report is stored",
	}),
}

// otherRun is the name of another run.
var otherRun = regexp.MustCompile(`run-\d+-\d{3}`)

var _ = Describe("the events of a run", Ordered, Label("events"), func() {
	var s *stage
	BeforeAll(func() {
		s = newStage()
		s.results.measureFor = 3 * time.Second
		DeferCleanup(s.start(s.results, nil))
	})

	newRun := func(change func(*v1alpha1.BenchmarkRunSpec)) *v1alpha1.BenchmarkRun {
		GinkgoHelper()
		return s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Load.Warmup = ptr.To(v1alpha1.Duration("0s"))
			spec.Workloads[0].Records = ptr.To[int64](1000)
			spec.Load.Workers = ptr.To[int32](1)
			if change != nil {
				change(spec)
			}
		})
	}
	// told are the run's events in their order, as kubectl describe shows them.
	told := func(run *v1alpha1.BenchmarkRun) []string {
		events := &eventsv1.EventList{}
		Expect(s.sim.List(context.Background(), events, client.InNamespace(run.Namespace))).To(Succeed())
		mine := slices.DeleteFunc(events.Items, func(e eventsv1.Event) bool { return e.Regarding.UID != run.UID })
		slices.SortFunc(mine, func(a, b eventsv1.Event) int {
			return cmp.Or(a.EventTime.Compare(b.EventTime.Time), cmp.Compare(a.Name, b.Name))
		})
		var lines []string
		for _, e := range mine {
			note := strings.ReplaceAll(e.Note, compile.RunID(run.Name, string(run.UID)), "RUN")
			note = otherRun.ReplaceAllString(note, "OTHER")
			line := fmt.Sprintf("%s %s: %s", e.Type, e.Reason, note)
			if e.Series != nil {
				line += fmt.Sprintf(" (%d times)", e.Series.Count)
			}
			lines = append(lines, line)
		}
		return lines
	}
	tells := func(run *v1alpha1.BenchmarkRun, name string) {
		GinkgoHelper()
		Eventually(func() []string { return told(run) }, time.Minute, 100*time.Millisecond).Should(Equal(stories[name]))
	}

	It("tell of success with a fault", func() {
		run := newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Faults = []v1alpha1.FaultSpec{{Name: "kill", Action: "ContainerKill", At: "500ms", Target: &v1alpha1.FaultTarget{Member: ptr.To[int32](1)}}}
		})
		s.reach(run, v1alpha1.ConditionComplete, "Finished")
		tells(run, "success with a fault")
	})

	It("tell of a failure when it happens, and of the end", func() {
		s.sim.evictJobs.add("worker")
		s.results.findInvalid(report.Reason{Reason: report.WorkerLost, Message: "worker 0: its log is missing"})
		DeferCleanup(func() { s.sim.evictJobs.remove("worker"); s.results.findInvalid() })
		run := newRun(nil)
		s.reach(run, v1alpha1.ConditionFailed, "MeasurementLost")
		tells(run, "failure")
	})

	It("tell of a refusal once", func() {
		run := newRun(func(spec *v1alpha1.BenchmarkRunSpec) { spec.Store.Name = "etdc" })
		s.reach(run, v1alpha1.ConditionFailed, "UnknownStore")
		Eventually(func() []string { return told(run) }, time.Minute, 100*time.Millisecond).Should(HaveLen(1))
		Expect(told(run)[0]).To(HavePrefix(stories["refusal"][0]))
	})

	It("tell of a run that is deleted before its end", func() {
		s.sim.holdJobs.add("worker")
		DeferCleanup(func() { s.sim.holdJobs.remove("worker") })
		run := newRun(nil)
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(context.Background(), client.ObjectKeyFromObject(run), run)).To(Succeed())
			g.Expect(run.Status.Progress).NotTo(BeNil())
		}, time.Minute, 50*time.Millisecond).Should(Succeed())
		Expect(k8sClient.Delete(context.Background(), run)).To(Succeed())
		tells(run, "cancel")
	})

	It("tell of the wait for its turn", func() {
		first, second := newRun(nil), newRun(nil)
		s.reach(first, v1alpha1.ConditionComplete, "Finished")
		s.reach(second, v1alpha1.ConditionComplete, "Finished")
		tells(second, "queue")
		Expect(strings.Join(told(first), "\n")).NotTo(ContainSubstring("Queued"))
	})

	It("are all in docs/reference/events.md, and no others", func() {
		page, err := os.ReadFile(fromRoot("docs", "reference", "events.md"))
		Expect(err).NotTo(HaveOccurred())
		steps, _, found := strings.Cut(string(page), "## Trouble")
		Expect(found).To(BeTrue())
		documented, seen := map[string]string{}, map[string]string{}
		for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (\\w+) \\|").FindAllStringSubmatch(steps, -1) {
			documented[row[1]] = row[2]
		}
		for name, story := range stories {
			for _, line := range story {
				kind, reason := strings.Fields(line)[0], strings.TrimSuffix(strings.Fields(line)[1], ":")
				if name == "refusal" || reason == "MeasurementLost" || reason == "WorkerLost" {
					continue // causes: troubleshooting.md and validity.md have them
				}
				seen[reason] = kind
			}
		}
		Expect(documented).To(Equal(seen))
	})
})
