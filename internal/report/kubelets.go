package report

import (
	"fmt"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
)

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
		_ = readLinesOf(r.fsys, w.File(bundle.Jsonl), maxKubeletLines, true, r.in.Usages.addLine)
	}
	r.in.Usages.pods.sort()
	r.in.Usages.volumes.sort()
}

func (u *allUsages) addLine(l *bundle.UsageLine) error {
	if len(l.Pod) > maxName {
		return fmt.Errorf("a pod's UID of %d bytes", len(l.Pod))
	}
	if l.CPUMicros != nil || l.WorkingSetBytes != nil {
		one := nothing(l.AtUnixNanos)
		one.process = stores.ProcessOf(l.Pod)
		if err := setFigures([]figure{{&one.cpuMicros, l.CPUMicros}, {&one.workingSetBytes, l.WorkingSetBytes}}); err != nil {
			return err
		}
		if err := u.pods.add(l.Member, one); err != nil {
			return err
		}
	}
	if l.DataBytes == nil {
		return nil
	}
	one := nothing(l.DataAtUnixNanos)
	if err := setFigures([]figure{{&one.dataBytes, l.DataBytes}}); err != nil {
		return err
	}
	return u.volumes.add(l.Member, one)
}
