//go:build e2e

package e2e

import (
	"os/exec"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The witness of what others take of the machine's cores", Label("machine"), func() {
	It("sees a program that does nothing else, where the cluster is this machine's", func(ctx SpecContext) {
		from := time.Now()
		hog := exec.CommandContext(ctx, "timeout", "3", "sh", "-c", "while :; do :; done")
		Expect(hog.Start()).To(Succeed())
		defer func() { _ = hog.Wait() }()
		if _, local := clusterTime(); machine == nil || !local {
			Consistently(func() time.Duration { return machine.since(from).others }, 3*time.Second).Should(BeZero())
			return
		}
		others := func() time.Duration { return machine.since(from).others }
		Eventually(others, 3*time.Second).Should(BeNumerically(">=", takenInSecond))
		Expect(machine.since(from).disturbing()).To(BeTrue(), "%v", machine.since(from))
	}, SpecTimeout(10*time.Second))
})
