//go:build root

package integration

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// everyone are all who try, by their role or, without one, by their pod's name.
var everyone = []string{
	"controller", "dns", "load", "neighbor", "node", "observer", "prometheus", "reset", "results", "store", "stranger", "worker",
}

// ofRun are those of a run, all of whose pods reach its store, and the node.
var ofRun = []string{"load", "node", "observer", "reset", "store", "worker"}

// storePorts is who reaches the ports of each store's members.
var storePorts = map[string]map[string][]string{
	"cassandra":             {"store client": ofRun, "store storage": {"node", "store"}},
	"etcd":                  {"store client": ofRun, "store peer": {"node", "store"}, "store metrics": everyone},
	"hazelcast":             {"store client": ofRun},
	"ignite":                {"store client": ofRun, "store discovery": {"node", "store"}, "store messages": {"node", "store"}},
	"memcached":             {"store client": ofRun},
	"redis":                 {"store client": ofRun, "store sentinel": ofRun},
	"redis in mode cluster": {"store client": ofRun, "store bus": {"node", "store"}},
	"valkey":                {"store client": ofRun, "store sentinel": ofRun},
	"postgresql":            {"store client": ofRun},
}

// allowed is who reaches which port under the policies of the charts, where these read the
// metrics of the operator. The kubelet's probes come from the node.
func allowed(store string, metrics ...string) map[string][]string {
	reached := map[string][]string{
		"results https":      {"controller", "load", "node", "observer", "worker"},
		"results metrics":    metrics,
		"results probes":     {"node"},
		"controller metrics": metrics,
		"controller probes":  {"node"},
		"worker metrics":     everyone,
		"observer metrics":   everyone,
		// What leaves a pod is nobody's limit: the API server and DNS.
		"node api": everyone,
		"dns dns":  everyone,
	}
	maps.Copy(reached, storePorts[store])
	return reached
}

// others leaves out those that can't try, since there is one pod of them.
func others(reached map[string][]string) map[string][]string {
	for target, who := range reached {
		reached[target] = slices.DeleteFunc(slices.Clone(who), func(name string) bool {
			return name != "store" && name != "worker" && strings.HasPrefix(target, name+" ")
		})
	}
	return reached
}

// Real policies of the real charts, on the pods that the charts and the controller make, under a
// real enforcer, with real connections. The pods are network namespaces of this test, and so is
// their node: the machine's own is left alone. What is missing is kube-proxy: pods are reached by
// their addresses.
var _ = Describe("The network policies, enforced", Label("robustness", "netpol"), func() {
	for _, store := range catalog.Deployable() {
		Describe("around "+store, Ordered, func() { enforced(store, store, "") })
	}
	Describe("around redis in mode cluster", Ordered, func() { enforced("redis in mode cluster", "redis", "cluster") })
})

// enforced is of a store in a mode; ports is what storePorts calls it.
func enforced(ports, store, mode string) {
	var s *stage
	var network *podNet
	var monitoring string

	reaches := func(want map[string][]string) {
		GinkgoHelper()
		Eventually(network.whoReaches, time.Minute).Should(Equal(others(want)))
	}

	BeforeAll(func(ctx context.Context) {
		s, network = newStage(), newPodNet()
		s.sim.place = network.place
		DeferCleanup(func(ctx context.Context) { // or the next one's would keep their addresses
			Eventually(func(g Gomega) {
				pods := &corev1.PodList{}
				g.Expect(k8sClient.List(ctx, pods, client.InNamespace(systemNamespace))).To(Succeed())
				g.Expect(pods.Items).To(BeEmpty())
			}, time.Minute).Should(Succeed())
		})
		for _, object := range chartObjects(nil, "Deployment", "StatefulSet", "NetworkPolicy") {
			apply(ctx, object)
			DeferCleanup(func(ctx context.Context) { Expect(k8sClient.Delete(ctx, object)).To(Succeed()) })
		}
		DeferCleanup(s.start(s.results, nil))
		run := s.newRun(func(spec *v1alpha1.BenchmarkRunSpec) {
			spec.Store.Name, spec.Store.Mode = store, mode
			spec.Load.Workers = ptr.To[int32](2)
			again := spec.Workloads[0]
			again.Name, again.Reset = "b", ptr.To(true)
			spec.Workloads = append(spec.Workloads, again)
		})
		DeferCleanup(s.remove, run)
		s.otherPod(ctx, s.namespace, "neighbor")
		s.otherPod(ctx, newNamespace(ctx, "elsewhere"), "stranger")
		monitoring = newNamespace(ctx, "monitoring")
		s.otherPod(ctx, monitoring, "prometheus")
		s.otherPod(ctx, "kube-system", "dns", corev1.ContainerPort{Name: "dns", ContainerPort: 53})
		Eventually(network.everyone, time.Minute).Should(Equal(everyone))
		s.sim.holdJobs.add("worker") // of the second workload, so that all of them stay

		// Without an enforcer everyone reaches everything: what isn't reached later, a policy stops.
		all := allowed(ports)
		for target := range all {
			all[target] = everyone
		}
		reaches(all)
		network.enforce(ctx)
	})

	It("let in who has business there, and nobody else", func() {
		reaches(allowed(ports, everyone...))
	})

	It("let nobody but these read metrics, where the chart is told so", func(ctx context.Context) {
		peer := map[string]any{"namespaceSelector": map[string]any{"matchLabels": map[string]any{"kubernetes.io/metadata.name": monitoring}}}
		for _, object := range chartObjects(map[string]any{"networkPolicy": map[string]any{"metricsFrom": []any{peer}}}, "NetworkPolicy") {
			apply(ctx, object)
		}
		reaches(allowed(ports, "node", "prometheus"))
	})

	It("open a store to all when its own is taken away", func(ctx context.Context) {
		policies := &networkingv1.NetworkPolicyList{}
		Expect(k8sClient.List(ctx, policies, client.InNamespace(s.namespace))).To(Succeed())
		Expect(policies.Items).To(HaveLen(1))
		Expect(k8sClient.Delete(ctx, &policies.Items[0])).To(Succeed())
		open := allowed(ports, "node", "prometheus")
		for port := range storePorts[ports] {
			open[port] = everyone
		}
		reaches(open)
	})
}

// otherPod makes a pod that is nobody's.
func (s *stage) otherPod(ctx context.Context, namespace, name string, ports ...corev1.ContainerPort) {
	GinkgoHelper()
	pod := &corev1.Pod{}
	pod.Namespace, pod.Name = namespace, name
	pod.Spec.Containers = []corev1.Container{{Name: "c", Image: "none", Ports: ports}}
	Expect(s.sim.Create(ctx, pod)).To(Succeed())
	DeferCleanup(func(ctx context.Context) {
		Expect(s.sim.Delete(ctx, pod, client.GracePeriodSeconds(0))).To(Succeed())
	})
	s.sim.runs(ctx, pod)
}
