package integration

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// age is a row's last column, which says nothing of the run.
var age = regexp.MustCompile(`\s+\S+\s*$`)

var _ = Describe("kubectl get -w", Ordered, Label("rows"), func() {
	var s *stage
	BeforeAll(func() {
		s = newStage()
		s.sim.awaitFault.Store(true)
	})

	It("writes no row twice, and shows the workload whose turn it is", func(ctx context.Context) {
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Faults = []v1alpha1.FaultSpec{{Name: "kill", Action: "ContainerKill", At: "500ms", Target: &v1alpha1.FaultTarget{Member: ptr.To[int32](1)}}}
			next := spec.Workloads[0]
			next.Name = "b"
			spec.Workloads = append(spec.Workloads, next)
		})
		watching, stop := context.WithCancel(ctx)
		defer stop()
		cmd := exec.CommandContext(watching, filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), "kubectl"),
			"--kubeconfig", kubeconfig, "get", "benchmarkruns", run.Name, "--namespace", run.Namespace, "--watch", "--no-headers")
		out, err := cmd.StdoutPipe()
		Expect(err).NotTo(HaveOccurred())
		Expect(cmd.Start()).To(Succeed())
		lines := bufio.NewScanner(out)
		Expect(lines.Scan()).To(BeTrue(), "kubectl shows the run that nobody has looked at")
		DeferCleanup(s.start(s.results, nil))

		limit := time.AfterFunc(2*time.Minute, stop)
		defer limit.Stop()
		var rows []string
		for lines.Scan() {
			row := age.ReplaceAllString(lines.Text(), "")
			if strings.Contains(row, "Pending") || len(rows) > 0 { // before, there is no status
				rows = append(rows, row)
			}
			if strings.Contains(row, "Complete") {
				break
			}
		}
		stop()
		_ = cmd.Wait()
		all := strings.Join(rows, "\n")
		AddReportEntry("rows", all)
		for i := 1; i < len(rows); i++ {
			Expect(rows[i]).NotTo(Equal(rows[i-1]), "%s", all)
		}
		for _, shown := range []string{
			`etcd +3 +a +Measuring +(warm-up|0%)`, `etcd +3 +a +Measuring .*, kill injected`, `etcd +3 +b +Measuring +(warm-up|0%)`,
			`etcd +3 +a +Complete +True +990`,
		} {
			Expect(all).To(MatchRegexp(shown))
		}
		s.nothingLeft(run)
	})

	It("waits for the end of a run that fails at once, with README's command", func(ctx context.Context) {
		DeferCleanup(s.start(s.results, nil))
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) { spec.Store.Name = "etdc" })
		page, err := os.ReadFile(fromRoot("README.md"))
		Expect(err).NotTo(HaveOccurred())
		command := regexp.MustCompile(`(?m)^kubectl (wait --for=\S+) --timeout=\S+ benchmarkrun/first$`).FindSubmatch(page)
		Expect(command).NotTo(BeNil())
		args := strings.Fields(strings.ReplaceAll(string(command[1]), "'", ""))
		kubectl(ctx, append(args, "--timeout=30s", "benchmarkrun/"+run.Name, "--namespace", run.Namespace)...)
		s.reach(run, v1alpha1.ConditionFailed, "UnknownStore")
	})
})
