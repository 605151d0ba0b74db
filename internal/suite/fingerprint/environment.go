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
		if all := set(nodes); role == bundle.PodMember && len(all) > 0 && all[0] != "" {
			p[at+"/nodes"] = strconv.Itoa(len(all))
		}
	}
}

// kindOf is the same for machines of one kind. The memory of two of them differs by some MiB, and is some of a whole number of
// GiB, of which the kernel takes a part.
func kindOf(node *bundle.Node) string {
	if node.Kernel == "" && node.Kind == "" && node.CPUs == 0 {
		return "" // nobody knows
	}
	return fmt.Sprintf("%s %s %d CPUs %d GiB, %s %s, %s, kubelet %s", node.Kind, node.Architecture, node.CPUs, (node.MemoryBytes+1<<30-1)>>30,
		node.OS, node.Kernel, node.ContainerRuntime, node.Kubelet)
}

// addSet adds the values, each once, in their order. If one of them isn't known, what the others are says nothing.
func (p Print) addSet(at string, values []string) {
	if values = set(values); len(values) > 0 && values[0] != "" {
		p[at] = strings.Join(values, "; ")
	}
}

func set(values []string) []string {
	values = slices.Clone(values)
	slices.Sort(values)
	return slices.Compact(values)
}

// environment is where the fields begin that somebody found out. All others follow from the spec.
const environment = "/environment/"

// unknown says that a field is one that could not be found out of one of both runs.
func unknown(field string, one, other Print) bool {
	return strings.HasPrefix(field, environment) && (one[field] == "" || other[field] == "")
}
