package config

import (
	"encoding/json"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
)

var paths = layout.Paths{State: "/state", Cache: "/cache"}

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	var parsed map[string]any
	if err := yaml.UnmarshalStrict([]byte(text), &parsed); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return parsed
}

func TestEachNodeHasItsOwnPlaces(t *testing.T) {
	one, two := paths.Node(1), paths.Node(2)
	for what, render := range map[string]func(layout.Node) string{
		"kubelet":    func(n layout.Node) string { return Kubelet(paths, n) },
		"containerd": func(n layout.Node) string { return Containerd(n, Programs{Runc: "/r", CNIDir: "/c", PauseImage: "p"}) },
		"cni":        func(n layout.Node) string { text, _ := CNI(n); return text },
		"flags":      func(n layout.Node) string { return strings.Join(KubeletArgs(paths, n, "kubelet"), " ") },
	} {
		for _, foreign := range []string{"node2", "10.218.2.", "kvb2"} {
			if strings.Contains(render(one), foreign) {
				t.Errorf("%s of node1 names %s", what, foreign)
			}
		}
		if render(one) == render(two) {
			t.Errorf("%s is the same for two nodes", what)
		}
	}
}

func TestKubeletConfigIsWhatTheMachineNeeds(t *testing.T) {
	got := parse(t, Kubelet(paths, paths.Node(2)))
	for key, want := range map[string]any{
		"address": "10.218.2.1", "healthzBindAddress": "10.218.2.1", "cgroupRoot": "/kvbench/node2",
		"cgroupDriver": "cgroupfs", "failCgroupV1": false, "failSwapOn": false, "makeIPTablesUtilChains": false,
		"imageGCHighThresholdPercent": float64(100),
	} {
		if got[key] != want {
			t.Errorf("%s is %v, want %v", key, got[key], want)
		}
	}
	if hard := got["evictionHard"].(map[string]any); hard["nodefs.available"] != "1%" {
		t.Errorf("eviction: %v", hard)
	}
}

func TestCNIAddsNoFirewallRules(t *testing.T) {
	text, err := CNI(paths.Node(3))
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Name    string
		Plugins []struct {
			Type, Bridge string
			IPMasq       bool
			HairpinMode  bool
		}
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	if list.Name != "kvb-node3" || len(list.Plugins) != 1 {
		t.Fatalf("%+v", list)
	}
	if p := list.Plugins[0]; p.Type != "bridge" || p.Bridge != "kvb3" || p.IPMasq || !p.HairpinMode {
		t.Errorf("%+v", p)
	}
}

func TestKubeProxyLeavesConnectionTrackingAlone(t *testing.T) {
	got := parse(t, KubeProxyConfig(paths))
	conntrack := got["conntrack"].(map[string]any)
	for _, key := range []string{"maxPerCore", "min"} {
		if conntrack[key] != float64(0) {
			t.Errorf("%s is %v", key, conntrack[key])
		}
	}
	for _, key := range []string{"tcpEstablishedTimeout", "tcpCloseWaitTimeout"} {
		if conntrack[key] != "0s" {
			t.Errorf("%s is %v", key, conntrack[key])
		}
	}
}

func TestNothingListensOutside(t *testing.T) {
	for name, args := range map[string][]string{
		"etcd": Etcd(paths, "x"), "apiserver": APIServer(paths, "x"),
		"controller-manager": ControllerManager(paths, "x"), "scheduler": Scheduler(paths, "x"),
	} {
		bound := false
		for _, a := range args {
			if strings.Contains(a, "0.0.0.0") {
				t.Errorf("%s: %s", name, a)
			}
			flag, value, _ := strings.Cut(a, "=")
			if flag == "--bind-address" || flag == "--listen-client-urls" {
				bound = strings.Contains(value, layout.ControlAddress)
			}
		}
		if !bound {
			t.Errorf("%s isn't bound to %s", name, layout.ControlAddress)
		}
	}
}

func TestKubeconfigIsWhole(t *testing.T) {
	got := parse(t, Kubeconfig("me", []byte("ca"), []byte("cert"), []byte("key")))
	if got["current-context"] != "kvbench-local" || !strings.Contains(Kubeconfig("me", nil, nil, nil), "https://10.218.0.1:6443") {
		t.Errorf("%v", got)
	}
}
