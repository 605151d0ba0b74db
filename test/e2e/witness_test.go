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
		Eventually(func() bool { return machine.since(from).disturbing() }, 3*time.Second).Should(BeTrue(), "%v", machine.since(from))
		Expect(machine.since(from).others).To(BeNumerically(">=", takenInSecond))
	}, SpecTimeout(10*time.Second))
})
