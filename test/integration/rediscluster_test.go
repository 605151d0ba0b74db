//go:build root

package integration

import (
	"fmt"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/kvbench/kvbench/internal/stores"
)

// The chart's script and settings for a Redis Cluster, the image's own programs, and no
// Kubernetes. redis-cli introduces the members to each other here, as in a run the observer does.
var _ = Describe("The pods of a Redis Cluster", Label("robustness", "redis"), func() {
	// A key of each primary.
	keys := []string{"a", "b", "c"}

	start := func(level, settings string) *redisPods {
		GinkgoHelper()
		pods := newRedisPods(level, fmt.Sprintf(`"nodes":6,"cluster":{"enabled":true,"node-timeout":2000},"settings":{"repl-diskless-sync-delay":0%s}`, settings))
		create := []string{"--cluster-yes", "--cluster-replicas", "1", "--cluster", "create"}
		for pod, end := range pods.ends {
			pods.start(pod)
			create = append(create, fmt.Sprint(end.address, ":6379"))
		}
		for pod := range pods.ends {
			Eventually(pods.ask, settled, "200ms").WithArguments(pod, "ping").Should(HavePrefix("PONG"))
		}
		Expect(pods.ask(0, create...)).To(ContainSubstring("All 16384 slots covered"))
		Eventually(pods.clusterIsWell, settled, "200ms").Should(BeTrue())
		for _, key := range keys {
			Eventually(pods.ask, settled, "200ms").WithArguments(0, "-c", "set", key, "1").Should(HavePrefix("OK"))
		}
		return pods
	}
	keepsAll := func(pods *redisPods) {
		GinkgoHelper()
		Eventually(pods.clusterIsWell, settled, "200ms").Should(BeTrue())
		for pod := range pods.ends {
			for _, key := range keys {
				Expect(pods.ask(pod, "-c", "get", key)).To(HavePrefix("1"), "%s, asked of pod %d", key, pod)
			}
		}
	}

	DescribeTable("are the same members wherever they are", func(level string) {
		pods := start(level, "")
		Expect(pods.isPrimary(0)).To(BeTrue())
		pods.keepTheirSecret()

		By("a primary with its data is a primary again, before anybody has missed it")
		pods.kill("redis0")
		pods.start(0)
		keepsAll(pods)
		Expect(pods.isPrimary(0)).To(BeTrue())

		By("one at another address is known by its data")
		pods.kill("redis0")
		pods.move(0)
		pods.start(0)
		keepsAll(pods)
		for pod := range pods.ends {
			Expect(pods.ask(pod, "cluster", "nodes")).To(ContainSubstring("%s:6379@16379,run-0.run.bench.svc", pods.ends[0].address))
		}
	},
		Entry("asking for nothing", stores.SecurityNone),
		Entry("asking for a password", stores.SecurityAuth),
		Entry("over TLS", stores.SecurityTLS))

	DescribeTable("wait for another primary", func(level, settings, becomes string) {
		pods := start(level, settings)
		pods.kill("redis0")
		pods.start(0)
		Eventually(pods.ask, settled, "200ms").WithArguments(0, "cluster", "nodes").Should(ContainSubstring(becomes))
		Expect(slices.ContainsFunc([]int{3, 4, 5}, pods.isPrimary)).To(BeTrue())
		for _, key := range keys {
			Expect(pods.ask(1, "-c", "get", key)).To(HavePrefix("1"), key)
		}
	},
		// Another member, which nobody has introduced yet.
		Entry("if they have no data, which all others would copy", stores.SecurityNone, `,"appendonly":false`, "myself,master - 0 0 0 connected\n"),
		Entry("if they have no data, over TLS", stores.SecurityTLS, `,"appendonly":false`, "myself,master - 0 0 0 connected\n"),
		Entry("if they are told to", stores.SecurityNone, `,"resume":false`, "myself,slave"))
})

// clusterIsWell says that all members see each other serve all slots, and that each primary has a
// replica that has copied its data.
func (r *redisPods) clusterIsWell() bool {
	primaries := 0
	for pod := range r.ends {
		info := r.ask(pod, "cluster", "info")
		if !strings.Contains(info, "cluster_state:ok") || !strings.Contains(info, "cluster_slots_ok:16384") ||
			!strings.Contains(info, fmt.Sprint("cluster_known_nodes:", len(r.ends))) {
			return false
		}
		replication := r.ask(pod, "info", "replication")
		switch {
		case strings.Contains(replication, "role:master"):
			if primaries++; !strings.Contains(replication, "connected_slaves:1") {
				return false
			}
		case !strings.Contains(replication, "master_link_status:up"):
			return false
		}
	}
	return 2*primaries == len(r.ends)
}

func (r *redisPods) isPrimary(pod int) bool { return strings.HasPrefix(r.ask(pod, "role"), "master") }
