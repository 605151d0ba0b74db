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
			{Name: "m-0", Role: bundle.PodMember, Node: "node1", Restarts: 2, LastEnd: &bundle.ContainerEnd{At: "2026-11-28T22:00:00Z", ExitCode: 3, Reason: "Error", Message: "Java heap space"}},
			{Name: "m-1", Role: bundle.PodMember, Node: "node1"},
			{Name: "w-0", Role: bundle.PodWorker, Node: "node2"},
		},
	}}
	if ends := endsTable(r); len(ends) != 2 || strings.Join(ends[1], "|") != "m-0|2|2026-11-28T22:00:00Z|3|Error|Java heap space" {
		t.Errorf("%v", ends)
	}
	rows := nodesTable(r)
	for i, want := range []string{"node1|m-0, m-1|0|large amd64|2|1024 MiB|–|–|–", "node2|–|1|–|–|–|–|–|–"} {
		if got := strings.Join(rows[i+1], "|"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
