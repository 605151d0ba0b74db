package doctor

import (
	"testing"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// speaking has a daemon's command name a container runtime.
func speaking(pod corev1.Pod, command ...string) corev1.Pod {
	pod.Spec.Containers = []corev1.Container{{Image: "registry/x:v1", Command: command}}
	return pod
}

func TestChaosMeshHasADaemonOnEachNode(t *testing.T) {
	controller, down := podOn("a", "controller-manager", true), podOn("a", "controller-manager", false)
	nodes := []corev1.Node{machine("a"), machine("b"), machine("c", tainted), machine("d", windows)}
	onA, onB := podOn("a", "chaos-daemon", true), podOn("b", "chaos-daemon", true)
	labelled := podOn("a", "controller-manager", true)
	labelled.Labels["app.kubernetes.io/version"] = "2.8.3"
	for name, c := range map[string]struct {
		pods []corev1.Pod
		want []string
	}{
		"all":             {[]corev1.Pod{controller, onA, onB}, []string{"ok: is of registry/x:v1 | namespace faults", "ok: ready on 2 nodes"}},
		"a version":       {[]corev1.Pod{labelled, onA, onB}, []string{"ok: version 2.8.3 (registry/x:v1)", "ok: ready on 2 nodes"}},
		"one is missing":  {[]corev1.Pod{controller, onA}, []string{"ok: registry/x:v1", "warning: ready on b |", "ok: ready on 1 node"}},
		"one isn't ready": {[]corev1.Pod{controller, podOn("a", "chaos-daemon", false), onB}, []string{"ok: registry/x:v1", "warning: ready on a |", "ok: ready on 1 node"}},
		"no controller":   {[]corev1.Pod{onA}, []string{"problem: its controller has no pod"}},
		"controller down": {[]corev1.Pod{down}, []string{"problem: isn't ready"}},
		"one of two down": {[]corev1.Pod{down, controller, onA, onB}, []string{"ok: registry/x:v1", "ok: 2 nodes"}},
		"another runtime": {[]corev1.Pod{controller, speaking(onA, "/chaos-daemon", "--runtime", "docker", "--http-port", "1"), speaking(onB, "/chaos-daemon", "--runtime=containerd")},
			[]string{"ok: registry/x:v1", "problem: speaks to docker, and the node runs containerd://2.1.4 | node a", "ok: ready on 1 node"}},
	} {
		t.Run(name, func(t *testing.T) { wantFindings(t, judgeChaosPods(c.pods, nodes), c.want...) })
	}
}

func TestNamesOfRuntimes(t *testing.T) {
	for told, words := range map[string][2]string{"containerd://2.1.4": {"containerd", "docker"}, "cri-o://1.34": {"crio", "containerd"}, "docker://28": {"docker", "crio"}} {
		if !sameRuntime(words[0], told) || sameRuntime(words[1], told) {
			t.Errorf("%s is %s, and not %s", told, words[0], words[1])
		}
	}
	if got := runtimeOf(&corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Command: []string{"--runtime"}}, {}}}}); got != "" {
		t.Errorf("got %q", got)
	}
}

// chaosSchemas take anything.
func chaosSchemas() schemas {
	found := schemas{recordKind: {}}
	for _, name := range []string{"PodChaos", "NetworkChaos"} {
		found[name] = &apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": {}}}
	}
	return found
}

func TestChaosMeshsKindsAreLookedFor(t *testing.T) {
	findings, there := judgeChaosKinds(nil)
	if wantFindings(t, findings, "problem: there is no kind NetworkChaos, PodChaos, PodNetworkChaos of chaos-mesh.org/v1alpha1"); there {
		t.Error("it is there")
	}
	findings, there = judgeChaosKinds(chaosSchemas())
	if wantFindings(t, findings, "ok: (ContainerKill, PodKill, Partition)"); !there {
		t.Error("it is not there")
	}
}

func TestChaosMeshsKindsTakeWhatFaultsNeed(t *testing.T) {
	actions := func(names ...string) apiextensionsv1.JSONSchemaProps {
		action := apiextensionsv1.JSONSchemaProps{}
		for _, name := range names {
			action.Enum = append(action.Enum, apiextensionsv1.JSON{Raw: []byte(`"` + name + `"`)})
		}
		return apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{"action": action, "mode": {}, "selector": {}, "containerNames": {}}}
	}
	old := chaosSchemas()
	old["PodChaos"].Properties["spec"] = actions(string(chaos.PodKillAction))
	findings, there := judgeChaosKinds(old)
	if wantFindings(t, findings, `problem: its kinds lack what the fault ContainerKill needs: spec.action: "container-kill"`); !there {
		t.Error("it is not there")
	}
	old = chaosSchemas()
	old["NetworkChaos"].Properties["spec"] = actions(string(chaos.PartitionAction))
	findings, _ = judgeChaosKinds(old)
	wantFindings(t, findings, "problem: the fault Partition needs: spec.direction, spec.duration, spec.target")
}
