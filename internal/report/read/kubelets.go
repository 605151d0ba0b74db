package read

import "github.com/kvbench/kvbench/internal/bundle"

// maxKubeletLines bounds what controllers write: nine members every ten seconds for three weeks.
const maxKubeletLines = 2_000_000

// readKubelets reads what kubelets told every controller: one that ended was followed by another.
// Bytes that a killed one left torn are left out. So is a file from where it makes no sense: no
// verdict follows from what is in it.
func (r *reader) readKubelets() {
	for _, w := range r.writers {
		if w.Role != bundle.RoleKubelet {
			continue
		}
		_ = readLinesOf(r.fsys, w.File(bundle.Jsonl), maxKubeletLines, true, r.in.Usages.AddLine)
	}
	r.in.Usages.Pods.Sort()
	r.in.Usages.Volumes.Sort()
}
