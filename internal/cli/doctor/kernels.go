package doctor

import (
	"cmp"
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/internal/cli/kube"
)

// checkKernels groups the nodes by kernel. What a kernel was built with, only a program on the node sees.
func checkKernels(ctx context.Context, c *kube.Cluster) []Finding {
	nodes, err := c.Clients.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return []Finding{unanswered(err, right{verb: "list", resource: "nodes"})}
	}
	return judgeKernels(nodes.Items)
}

// judgeKernels has a finding for each pair of kernel and container runtime. It doesn't guess features from versions: distributions
// leave out what they like.
func judgeKernels(nodes []corev1.Node) (findings []Finding) {
	type machine struct{ kernel, runtime string }
	on := map[machine][]string{}
	for i := range nodes {
		info := &nodes[i].Status.NodeInfo
		if info.OperatingSystem == "linux" {
			is := machine{info.KernelVersion, info.ContainerRuntimeVersion}
			on[is] = append(on[is], nodes[i].Name)
		}
	}
	order := slices.SortedFunc(maps.Keys(on), func(a, b machine) int {
		return cmp.Or(cmp.Compare(a.kernel, b.kernel), cmp.Compare(a.runtime, b.runtime))
	})
	for _, m := range order {
		f := unknown(where(on[m]), "Linux %s with %s; what is built into it is not known, for no API server knows it", bounded(m.kernel), bounded(m.runtime)).
			so("a partition needs iptables and ip_set there; other faults of this version need nothing of it").
			mend("on a node, modinfo ip_set xt_set names a module, or says builtin; or try config/samples/etcd-leader-partition.yaml, whose fault isn't injected where it can't be")
		f.untold = true
		findings = append(findings, f)
	}
	return findings
}

// where names nodes.
func where(nodes []string) string {
	if len(nodes) == 1 {
		return "node " + nodes[0]
	}
	return "nodes " + few(nodes)
}
