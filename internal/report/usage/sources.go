// Package usage averages what members used over a measurement, from what they and the kubelets of their nodes told.
// A value that nobody told stays unknown, and is never 0.
package usage

import (
	"fmt"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/stores"
)

// Sources are the samples of all sources.
type Sources struct {
	Members Samples // observers asked the members
	Pods    Samples // kubelets told them of the members' pods
	Volumes Samples // kubelets told them of volumes, at other instants
}

// AddLine adds what a kubelet told.
func (u *Sources) AddLine(l *bundle.UsageLine) error {
	if len(l.Pod) > report.MaxName {
		return fmt.Errorf("a pod's UID of %d bytes", len(l.Pod))
	}
	if l.CPUMicros != nil || l.WorkingSetBytes != nil {
		one := newSample(l.AtUnixNanos)
		one.process = stores.ProcessOf(l.Pod)
		if err := setFigures([]figure{{&one.cpuMicros, l.CPUMicros}, {&one.workingSetBytes, l.WorkingSetBytes}}); err != nil {
			return err
		}
		if err := u.Pods.add(l.Member, one); err != nil {
			return err
		}
	}
	if l.DataBytes == nil {
		return nil
	}
	one := newSample(l.DataAtUnixNanos)
	if err := setFigures([]figure{{&one.dataBytes, l.DataBytes}}); err != nil {
		return err
	}
	return u.Volumes.add(l.Member, one)
}
