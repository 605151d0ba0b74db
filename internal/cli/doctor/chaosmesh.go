package doctor

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/internal/cli/kube"
)

const (
	installChaosMesh = "install Chaos Mesh: https://chaos-mesh.org/docs/production-installation-using-helm"
	withoutFaults    = "runs with faults are refused, and others work"

	chaosLabels    = "app.kubernetes.io/name=chaos-mesh"
	componentLabel = "app.kubernetes.io/component"
)

// checkChaosMesh looks for the kinds that faults are made of, and for Chaos Mesh's pods in whatever namespace.
func checkChaosMesh(ctx context.Context, c *kube.Cluster) []Finding {
	kinds, there := checkChaosKinds(ctx, c)
	if !there {
		return kinds
	}
	pods, err := c.Clients.CoreV1().Pods("").List(ctx, metav1.ListOptions{LabelSelector: chaosLabels})
	if err != nil {
		return append(kinds, unanswered(err, right{verb: "list", resource: "pods"}))
	}
	nodes, err := c.Clients.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return slices.Concat(kinds, judgeChaosPods(pods.Items, nil), []Finding{unanswered(err, right{verb: "list", resource: "nodes"})})
	}
	return append(kinds, judgeChaosPods(pods.Items, nodes.Items)...)
}

// judgeChaosPods says whether the controller of Chaos Mesh is ready, and a daemon on each node that members may be on.
func judgeChaosPods(pods []corev1.Pod, nodes []corev1.Node) []Finding {
	var controller *corev1.Pod
	daemons := map[string]*corev1.Pod{}
	for i := range pods {
		switch pod := &pods[i]; pod.Labels[componentLabel] {
		case "controller-manager":
			if controller == nil || ready(pod) {
				controller = pod
			}
		case "chaos-daemon":
			if daemons[pod.Spec.NodeName] == nil || ready(pod) {
				daemons[pod.Spec.NodeName] = pod
			}
		}
	}
	if controller == nil {
		return []Finding{problem(wholeCluster, "its controller has no pod (labels %s)", chaosLabels).so("no fault is ever injected").mend(installChaosMesh)}
	}
	where := inNamespace(controller.Namespace)
	if !ready(controller) {
		return []Finding{problem(where, "its controller's pod %s isn't ready%s", controller.Name, because(controller)).so("no fault is injected or healed").
			mend("see kubectl -n %s describe pod %s", controller.Namespace, controller.Name)}
	}
	findings := []Finding{ok(where, "its controller is ready, and is of %s", versionOf(controller))}
	return append(findings, judgeDaemons(where, controller.Namespace, daemons, nodes)...)
}

// versionOf is what the pod's labels and image say.
func versionOf(pod *corev1.Pod) string {
	if label := pod.Labels["app.kubernetes.io/version"]; label != "" {
		return "version " + label + " (" + imageOf(pod) + ")"
	}
	return imageOf(pod)
}

// judgeDaemons says which nodes have no daemon that works.
func judgeDaemons(where, namespace string, daemons map[string]*corev1.Pod, nodes []corev1.Node) (findings []Finding) {
	var without []string
	good := 0
	for i := range nodes {
		node := &nodes[i]
		if !takesPods(node) || node.Status.NodeInfo.OperatingSystem == "windows" {
			continue
		}
		daemon := daemons[node.Name]
		if daemon == nil || !ready(daemon) {
			without = append(without, node.Name)
			continue
		}
		speaks, runs := runtimeOf(daemon), node.Status.NodeInfo.ContainerRuntimeVersion
		if speaks != "" && runs != "" && !sameRuntime(speaks, runs) {
			findings = append(findings, problem("node "+node.Name, "Chaos Mesh's daemon speaks to %s, and the node runs %s", bounded(speaks), bounded(runs)).
				so("faults don't reach members there").mend("set chaosDaemon.runtime and chaosDaemon.socketPath in the values of Chaos Mesh's chart"))
			continue
		}
		good++
	}
	if len(without) > 0 {
		findings = append(findings, warning(where, "no daemon is ready on %s", few(without)).so("faults don't reach members there").
			mend("see kubectl -n %s get pods -o wide, and chaosDaemon.tolerations in the values of Chaos Mesh's chart", namespace))
	}
	if good > 0 {
		findings = append(findings, ok(where, "its daemon is ready on %s", plural(good, "node", "nodes")))
	}
	return findings
}

// runtimeOf is the container runtime that a daemon's command names; "" where it names none.
func runtimeOf(daemon *corev1.Pod) string {
	for i := range daemon.Spec.Containers {
		words := slices.Concat(daemon.Spec.Containers[i].Command, daemon.Spec.Containers[i].Args)
		for at, word := range words {
			if value, is := strings.CutPrefix(word, "--runtime="); is {
				return value
			}
			if word == "--runtime" && at+1 < len(words) {
				return words[at+1]
			}
		}
	}
	return ""
}

// sameRuntime compares the daemon's word with what a node tells, such as containerd://2.1.4 and cri-o://1.34.
func sameRuntime(word, told string) bool {
	scheme, _, _ := strings.Cut(told, "://")
	return strings.ReplaceAll(scheme, "-", "") == strings.ReplaceAll(word, "-", "")
}

// takesPods says that pods without tolerations may be put on the node.
func takesPods(node *corev1.Node) bool {
	return !node.Spec.Unschedulable && !slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool {
		return t.Effect != corev1.TaintEffectPreferNoSchedule
	})
}
