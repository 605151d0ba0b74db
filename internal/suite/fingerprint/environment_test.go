package fingerprint

import (
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
)

// on places three members and a worker on these nodes.
func on(nodes ...string) *bundle.Environment {
	e := &bundle.Environment{}
	for _, name := range []string{"a", "b", "c", "d"} {
		e.Nodes = append(e.Nodes, bundle.Node{Name: name, Kind: "large", CPUs: 2, MemoryBytes: 8 << 30, Kernel: "6.1"})
	}
	for i, name := range nodes {
		pod := bundle.Pod{Name: name + "-pod", Role: bundle.PodMember, Node: name, Digest: "sha256:1", StorageClass: "fast"}
		if i == 3 {
			pod.Role, pod.Digest, pod.StorageClass = bundle.PodWorker, "sha256:9", ""
		}
		e.Pods = append(e.Pods, pod)
	}
	return e
}

func TestMachinesOfOneKindAreAlike(t *testing.T) {
	for what, c := range map[string]struct {
		other func(e *bundle.Environment)
		want  string
	}{
		"other nodes of the kind": {func(e *bundle.Environment) { *e = *on("b", "c", "d", "a") }, ""},
		"a worker beside":         {func(e *bundle.Environment) { e.Pods[3].Node = "a" }, ""},
		"some MiB less":           {func(e *bundle.Environment) { e.Nodes[0].MemoryBytes -= 5 << 20 }, ""},
		"members that share one":  {func(e *bundle.Environment) { e.Pods[1].Node = "a" }, "/environment/members/nodes"},
		"another kernel":          {func(e *bundle.Environment) { e.Nodes[1].Kernel = "6.2" }, "/environment/members/machines"},
		"another image":           {func(e *bundle.Environment) { e.Pods[0].Digest = "sha256:2" }, "/environment/members/images"},
		"an image nobody knows":   {func(e *bundle.Environment) { e.Pods[0].Digest = "" }, ""},
		"another class":           {func(e *bundle.Environment) { e.Pods[2].StorageClass = "slow" }, "/environment/members/storageClass"},
		"another kvbench":         {func(e *bundle.Environment) { e.Pods[3].Digest = "sha256:8" }, "/environment/workers/images"},
		"a slower worker":         {func(e *bundle.Environment) { e.Nodes[3].CPUs = 1 }, "/environment/workers/machines"},
		"nobody could look":       {func(e *bundle.Environment) { e.Nodes = nil }, ""},
		"a node nobody knows":     {func(e *bundle.Environment) { e.Nodes[1] = bundle.Node{Name: "b"} }, ""},
		"half of 16 GiB":          {func(e *bundle.Environment) { e.Nodes[1].MemoryBytes /= 2 }, "/environment/members/machines"},
	} {
		other := on("a", "b", "c", "d")
		c.other(other)
		found := Differences(Of(&report.Report{Environment: on("a", "b", "c", "d")}), Of(&report.Report{Environment: other}))
		got := ""
		if len(found) > 0 {
			got = found[0].Field
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", what, got, c.want)
		}
	}
}
