package cluster

import (
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
)

func TestAStoppedNodesProcessesAreNotMissed(t *testing.T) {
	r := &Record{Nodes: 3, Stopped: []string{"node2"}}
	got := strings.Join(r.Expected(layout.Paths{State: "/s"}), " ")
	for name, want := range map[string]bool{"node1-kubelet": true, "node2-kubelet": false, "node2-containerd": false, "node3-containerd": true, "kube-proxy": true} {
		if strings.Contains(got, name) != want {
			t.Errorf("%s in %q", name, got)
		}
	}
}

func TestOnlyOurShimsAreChosen(t *testing.T) {
	p := layout.Paths{State: "/var/lib/kvb", Cache: "/cache"}
	for cmdline, want := range map[string]bool{
		"/cache/bin/containerd-v2/containerd-shim-runc-v2\x00-namespace\x00k8s.io\x00":                     true,
		"/usr/bin/containerd-shim-runc-v2\x00-address\x00/var/lib/kvb/nodes/node1/run/containerd.sock\x00": true,
		"/usr/bin/containerd-shim-runc-v2\x00-address\x00/run/containerd/containerd.sock\x00":              false,
		"/usr/bin/containerd-shim-runc-v2\x00-address\x00/var/lib/kvb2/x\x00":                              false,
		"vi\x00/var/lib/kvb/containerd-shim-runc-v2\x00":                                                   false,
		"": false,
	} {
		if got := ourShim(cmdline, p); got != want {
			t.Errorf("%q: %v", cmdline, got)
		}
	}
}

func TestARecordSurvivesItsFile(t *testing.T) {
	p := layout.Paths{State: t.TempDir()}
	if _, err := Load(p); err != ErrNone {
		t.Errorf("without a file: %v", err)
	}
	want := &Record{Nodes: 2, Complete: true, Stopped: []string{"node1"}, Programs: map[string]string{"ctr": "/x"}, Sysctls: map[string]string{"a": "1"}, MountPoints: []string{"/m"}}
	if err := want.save(p); err != nil {
		t.Fatal(err)
	}
	if got, err := Load(p); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestTheAddonsAreValidYAML(t *testing.T) {
	text, err := renderAddons("v9.9.9")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, document := range strings.Split(text, "\n---\n") {
		var object struct {
			Kind     string
			Metadata struct{ Name string }
		}
		if err := yaml.Unmarshal([]byte(document), &object); err != nil || object.Metadata.Name == "" {
			t.Errorf("%v in\n%s", err, document)
		}
		kinds[object.Kind]++
	}
	if kinds["StorageClass"] != 1 || kinds["Deployment"] != 1 || kinds["Service"] != 1 {
		t.Errorf("%v", kinds)
	}
	if !strings.Contains(text, "registry.k8s.io/coredns/coredns:v9.9.9") {
		t.Error("the version that was built isn't named")
	}
}
