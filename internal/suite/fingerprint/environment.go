package fingerprint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kvbench/kvbench/internal/bundle"
)

// addEnvironment adds what pods ran on, and of which images. A scheduler may place the pods of two trials on other machines of
// the same kind: that is no difference.
func (p Print) addEnvironment(e *bundle.Environment) {
	kinds := map[string]string{}
	for _, node := range e.Nodes {
		kinds[node.Name] = kindOf(&node)
	}
	for role, at := range map[string]string{bundle.PodMember: "/environment/members", bundle.PodWorker: "/environment/workers"} {
		var nodes, machines, images, classes []string
		for _, pod := range e.Pods {
			if pod.Role == role {
				nodes = append(nodes, pod.Node)
				machines, images, classes = append(machines, kinds[pod.Node]), append(images, pod.Digest), append(classes, pod.StorageClass)
			}
		}
		p.addSet(at+"/machines", machines)
		p.addSet(at+"/images", images)
		p.addSet(at+"/storageClass", classes)
		if role == bundle.PodMember && len(set(nodes)) > 0 {
			p[at+"/nodes"] = strconv.Itoa(len(set(nodes)))
		}
	}
}

// kindOf is the same for machines of one kind. The memory of two of them differs by some MiB.
func kindOf(node *bundle.Node) string {
	if node.Kernel == "" && node.Kind == "" && node.CPUs == 0 {
		return "" // nobody knows
	}
	return fmt.Sprintf("%s %s %d CPUs %d GiB, %s %s, %s, kubelet %s", node.Kind, node.Architecture, node.CPUs, (node.MemoryBytes+1<<29)>>30,
		node.OS, node.Kernel, node.ContainerRuntime, node.Kubelet)
}

// addSet adds values that are known.
func (p Print) addSet(at string, values []string) {
	if values = set(values); len(values) > 0 {
		p[at] = strings.Join(values, "; ")
	}
}

// set are the values that aren't empty, each once, in their order.
func set(values []string) []string {
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
	slices.Sort(values)
	return slices.Compact(values)
}
