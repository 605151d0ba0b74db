package doctor

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/internal/cli/kube"
)

// checkNodes looks at what the API server knows of the machines.
func checkNodes(ctx context.Context, c *kube.Cluster) []Finding {
	nodes, err := c.Clients.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return []Finding{unanswered(err, right{verb: "list", resource: "nodes"})}
	}
	return judgeNodes(nodes.Items)
}

func judgeNodes(nodes []corev1.Node) (findings []Finding) {
	var away, foreign, usable []string
	machines := map[string]int{}
	for i := range nodes {
		node, info := &nodes[i], &nodes[i].Status.NodeInfo
		switch {
		case !nodeReady(node):
			away = append(away, node.Name)
		case info.OperatingSystem != "linux":
			foreign = append(foreign, node.Name)
		case takesPods(node):
			usable = append(usable, node.Name)
			machines[info.OperatingSystem+"/"+info.Architecture]++
		}
	}
	if len(usable) == 0 {
		findings = append(findings, problem(wholeCluster, "none of %d nodes is ready, has Linux and takes pods", len(nodes)).so("no pod of a run ever starts").
			mend("add a node, or see kubectl describe nodes"))
	} else {
		findings = append(findings, ok(wholeCluster, "%d of %d are ready and take pods (%s)", len(usable), len(nodes), few(slices.Sorted(maps.Keys(machines)))))
	}
	if len(away) > 0 {
		findings = append(findings, warning(wholeCluster, "%s not ready", areOr(away)).so("runs have fewer nodes").mend("see kubectl describe node %s", away[0]))
	}
	if len(foreign) > 0 {
		findings = append(findings, warning(wholeCluster, "%s no Linux", haveOr(foreign)).so("pods of runs don't start there").mend("keep them away with spec.store.placement (docs/guide/placement.md)"))
	}
	if len(machines) > 1 {
		findings = append(findings, warning(wholeCluster, "nodes have several architectures").so("members on them differ in speed").
			mend("give runs that are compared the same machines (docs/guide/placement.md)"))
	}
	return findings
}

func nodeReady(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

func areOr(names []string) string {
	if len(names) == 1 {
		return names[0] + " is"
	}
	return few(names) + " are"
}

func haveOr(names []string) string {
	if len(names) == 1 {
		return names[0] + " has"
	}
	return few(names) + " have"
}
