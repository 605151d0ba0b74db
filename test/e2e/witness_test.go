//go:build e2e

package e2e

import (
	"os/exec"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The witness of what others take of the machine's cores", Label("machine"), func() {
	const long = 3 * time.Second

	It("sees a program of somebody else's", func(ctx SpecContext) {
		from := time.Now()
		// The shell ends at once, so the program is no child of these tests. It ends by itself.
		pid, err := exec.CommandContext(ctx, "sh", "-c", "timeout 3 sh -c 'while :; do :; done' >/dev/null 2>&1 & echo $!").Output()
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() {
			Eventually("/proc/"+strings.TrimSpace(string(pid)), 2*long).ShouldNot(BeADirectory(), "the program ends")
		})
		if _, local := clusterTime(); machine == nil || !local {
			Expect(machine.since(from).othersKnown).To(BeFalse())
			return
		}
		others := func() time.Duration { return machine.since(from).others }
		Eventually(others, long).Should(BeNumerically(">=", takenAtOnce))
		Expect(machine.since(from).disturbing()).To(BeTrue(), "%v", machine.since(from))
	}, SpecTimeout(10*time.Second))

	It("takes no work of these tests for somebody else's", func(ctx SpecContext) {
		from := time.Now()
		program := exec.CommandContext(ctx, "sh", "-c", "while :; do :; done")
		Expect(program.Start()).To(Succeed())
		for time.Since(from) < long {
		}
		Expect(program.Process.Kill()).To(Succeed())
		Expect(program.Wait()).NotTo(Succeed())
		used := program.ProcessState.UserTime() + program.ProcessState.SystemTime()
		Expect(machine.since(from).allOthers).To(BeNumerically("<", used/2), "the program alone used %s", used)
	}, SpecTimeout(10*time.Second))
})
