package render

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
)

func TestANodeHasItsMembersAndWorkers(t *testing.T) {
	r := &report.Report{Environment: &bundle.Environment{
		Nodes: []bundle.Node{{Name: "node1", Kind: "large", Architecture: "amd64", CPUs: 2, MemoryBytes: 1 << 30}, {Name: "node2"}},
		Pods: []bundle.Pod{
			{Name: "m-0", Role: bundle.PodMember, Node: "node1"}, {Name: "m-1", Role: bundle.PodMember, Node: "node1"},
			{Name: "w-0", Role: bundle.PodWorker, Node: "node2"},
		},
	}}
	rows := nodesTable(r)
	for i, want := range []string{"node1|m-0, m-1|0|large amd64|2|1024 MiB|–|–|–", "node2|–|1|–|–|–|–|–|–"} {
		if got := strings.Join(rows[i+1], "|"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
