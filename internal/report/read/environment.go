package read

import (
	"errors"
	"io/fs"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
)

func (r *reader) readEnvironment() {
	found, err := readJSON[bundle.Environment](r.fsys, bundle.EnvironmentFile)
	switch {
	case err == nil:
		r.in.Environment = tidy(&found)
	case !errors.Is(err, fs.ErrNotExist):
		r.problem(report.FileCorrupt, "", "%v", err)
	}
}

// tidy leaves out what no environment has.
func tidy(e *bundle.Environment) *bundle.Environment {
	tidied := &bundle.Environment{Nodes: []bundle.Node{}, Pods: []bundle.Pod{}}
	if len(e.Manifest) <= bundle.MaxManifest {
		tidied.Manifest = e.Manifest
	}
	for _, node := range e.Nodes {
		node.CPUs, node.MemoryBytes = max(0, node.CPUs), max(0, node.MemoryBytes)
		tidied.Nodes = append(tidied.Nodes, node)
	}
	for _, pod := range e.Pods {
		if pod.Role == bundle.PodMember || pod.Role == bundle.PodWorker {
			pod.Restarts = max(0, pod.Restarts)
			tidied.Pods = append(tidied.Pods, pod)
		}
	}
	return tidied
}
