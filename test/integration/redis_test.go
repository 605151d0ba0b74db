//go:build root

package integration

import (
	"fmt"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/kvbench/kvbench/internal/stores"
)

const (
	// settled bounds a failover, with the copying that follows it.
	settled   = time.Minute
	noPrimary = -1
)

// The chart's scripts and settings, the image's own programs, and no cluster.
var _ = Describe("Redis' pods", Label("robustness", "redis"), func() {
	DescribeTable("keep their data and their roles apart, whoever ends", func(level string) {
		pods := newRedisPods(level, `"settings":{"repl-diskless-sync-delay":0}`)
		for pod := range pods.ends {
			pods.start(pod)
		}
		Eventually(pods.primary, settled, "200ms").Should(Equal(0))
		Expect(pods.ask(0, "set", "k", "1")).To(HavePrefix("OK"))
		pods.keepTheirSecret()

		By("a primary with its data is the primary again, before anybody has missed it")
		pods.kill("redis0")
		pods.start(0, "redis")
		Eventually(pods.primary, settled, "200ms").Should(Equal(0))
		Expect(pods.epoch(0)).To(Equal("0"))
		Eventually(pods.values, settled, "200ms").Should(HaveEach("1"))

		By("a primary whose pod was replaced, without its data and at another address, copies what the others have")
		pods.killPod(0)
		pods.place(0)
		pods.start(0)
		Eventually(pods.primary, settled, "200ms").Should(BeElementOf(1, 2))
		Eventually(pods.values, settled, "200ms").Should(HaveEach("1"))
		// At the first attempt, or at a later one: a Sentinel that knows no replica yet may lead one.
		Expect(pods.epoch(0)).NotTo(BeElementOf("", "0"))

		By("all that end at once have the same primary afterwards")
		before := pods.primary()
		for pod := range pods.ends {
			pods.killPod(pod)
		}
		for pod := range pods.ends {
			pods.start(pod)
		}
		Eventually(pods.primary, settled, "200ms").Should(Equal(before))
		Eventually(pods.values, settled, "200ms").Should(HaveEach("1"))
	},
		Entry("asking for nothing", stores.SecurityNone),
		Entry("asking for a password", stores.SecurityAuth),
		Entry("over TLS", stores.SecurityTLS))

	It("keep their data in memory alone while one of them is there", func() {
		pods := newRedisPods(stores.SecurityNone, `"settings":{"repl-diskless-sync-delay":0,"appendonly":false}`)
		for pod := range pods.ends {
			pods.start(pod)
		}
		Eventually(pods.primary, settled, "200ms").Should(Equal(0))
		Expect(pods.ask(0, "set", "k", "1")).To(HavePrefix("OK"))
		Eventually(pods.values, settled, "200ms").Should(HaveEach("1"))
		pods.kill("redis0")
		pods.start(0, "redis")
		Eventually(pods.primary, settled, "200ms").Should(BeElementOf(1, 2))
		Eventually(pods.values, settled, "200ms").Should(HaveEach("1"))
	})
})

// primary is the pod that is one, that all others follow and have copied, and that all Sentinels
// name, who know each other.
func (r *redisPods) primary() int {
	primary := noPrimary
	for pod := range r.ends {
		if strings.HasPrefix(r.ask(pod, "role"), "master") {
			if primary != noPrimary {
				return noPrimary
			}
			primary = pod
		}
	}
	if primary == noPrimary {
		return noPrimary
	}
	name := fmt.Sprintf("run-%d.run.bench.svc", primary)
	others := fmt.Sprint(len(r.ends) - 1)
	for pod := range r.ends {
		role := strings.Fields(r.ask(pod, "role"))
		if pod != primary && (len(role) < 4 || role[1] != name || role[3] != "connected") {
			return noPrimary
		}
		said := strings.Fields(r.ask(pod, "-p", "26379", "sentinel", "master", "mymaster"))
		if valueOf(said, "ip") != name || valueOf(said, "num-slaves") != others || valueOf(said, "num-other-sentinels") != others {
			return noPrimary
		}
	}
	return primary
}

func (r *redisPods) epoch(pod int) string {
	return valueOf(strings.Fields(r.ask(pod, "-p", "26379", "sentinel", "master", "mymaster")), "config-epoch")
}

func (r *redisPods) values() (values []string) {
	for pod := range r.ends {
		values = append(values, strings.TrimSpace(r.ask(pod, "get", "k")))
	}
	return values
}

// valueOf is the word after that one.
func valueOf(words []string, name string) string {
	if i := slices.Index(words, name); i >= 0 && i+1 < len(words) {
		return words[i+1]
	}
	return ""
}
