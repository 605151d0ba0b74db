package render

import (
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
)

// nodesTable is which pods were where.
func nodesTable(r *report.Report) grid {
	rows := grid{{"node", "members", "workers", "machine", "CPUs", "memory", "kernel", "system", "runtime"}}
	for _, node := range r.Environment.Nodes {
		rows = append(rows, []string{
			node.Name, dash(strings.Join(podsOn(r, node.Name, bundle.PodMember), ", ")), fmt.Sprint(len(podsOn(r, node.Name, bundle.PodWorker))),
			dash(strings.TrimSpace(node.Kind + " " + node.Architecture)), known(node.CPUs, "%d"), known(node.MemoryBytes>>20, "%d MiB"),
			dash(node.Kernel), dash(node.OS), dash(node.ContainerRuntime),
		})
	}
	return rows
}

// endsTable is which pods' containers ended in the run, with the last end of each.
func endsTable(r *report.Report) grid {
	rows := grid{{"pod", "started again", "last end", "exit code", "reason", "last words"}}
	for _, pod := range r.Environment.Pods {
		if end := pod.LastEnd; end != nil {
			rows = append(rows, []string{pod.Name, fmt.Sprint(pod.Restarts), dash(end.At), fmt.Sprint(end.ExitCode), dash(end.Reason), dash(end.Message)})
		}
	}
	return rows
}

func podsOn(r *report.Report, node, role string) (names []string) {
	for _, pod := range r.Environment.Pods {
		if pod.Node == node && pod.Role == role {
			names = append(names, pod.Name)
		}
	}
	return names
}

func known(n int64, format string) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf(format, n)
}
