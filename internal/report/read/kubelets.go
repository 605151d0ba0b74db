package read

import "github.com/kvbench/kvbench/internal/bundle"

// maxKubeletLines bounds what controllers write: nine members every ten seconds for three weeks.
const maxKubeletLines = 2_000_000

// readKubelets reads what kubelets told the controllers, which followed one another. It leaves out a line that a killed
// controller left torn, and the rest of a file from where it makes no sense: no verdict follows from its content.
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
