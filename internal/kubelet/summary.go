// Package kubelet asks the kubelets of nodes for the resources that their pods use.
//
// It reads the Summary API, /stats/summary, as k8s.io/kubelet/pkg/apis/stats/v1alpha1 defines it. The
// instants in it are of the node's clock, in whole seconds.
package kubelet

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// PodUsage is what one pod used until a moment. What the kubelet doesn't know is nil.
type PodUsage struct {
	Namespace, Name, UID string
	// CPUNanos is the processor time of all its containers since the pod began. It goes on
	// when a container begins anew.
	CPUNanos *uint64
	// WorkingSetBytes is its memory without the pages of files that could be dropped at once.
	WorkingSetBytes *uint64
	// Age is how old these two are, to a second. Stamp is of the node's clock, and tells one look
	// of the kubelet's from another.
	Age   time.Duration
	Stamp time.Time
	// Data is its volume of that name, if the kubelet counts its files: an emptyDir. Of a claim it
	// tells what all of the file system holds, which may be others' as well.
	Data *VolumeUsage
}

// VolumeUsage is what is in a volume.
type VolumeUsage struct {
	Bytes uint64
	Age   time.Duration
	Stamp time.Time
}

// DataVolume is the name of a member's volume in the charts of the stores.
const DataVolume = "data"

type summary struct {
	Pods []podStats `json:"pods"`
}

type podStats struct {
	Ref struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
		UID       string `json:"uid"`
	} `json:"podRef"`
	CPU *struct {
		Time  time.Time `json:"time"`
		Nanos *uint64   `json:"usageCoreNanoSeconds"`
	} `json:"cpu"`
	Memory *struct {
		WorkingSet *uint64 `json:"workingSetBytes"`
	} `json:"memory"`
	Volumes []volumeStats `json:"volume"`
}

type volumeStats struct {
	Name  string           `json:"name"`
	Claim *json.RawMessage `json:"pvcRef"`
	Time  time.Time        `json:"time"`
	Used  *uint64          `json:"usedBytes"`
}

// parse reads a summary that was made at the moment now of the node's clock.
func parse(from io.Reader, now time.Time) ([]PodUsage, error) {
	var s summary
	if err := json.NewDecoder(from).Decode(&s); err != nil {
		return nil, fmt.Errorf("read the summary: %w", err)
	}
	pods := make([]PodUsage, len(s.Pods))
	for i := range s.Pods {
		pods[i] = s.Pods[i].usage(now)
	}
	return pods, nil
}

func (p *podStats) usage(now time.Time) PodUsage {
	used := PodUsage{Namespace: p.Ref.Namespace, Name: p.Ref.Name, UID: p.Ref.UID}
	if p.CPU != nil && !p.CPU.Time.IsZero() {
		used.CPUNanos, used.Age, used.Stamp = p.CPU.Nanos, now.Sub(p.CPU.Time), p.CPU.Time
		if p.Memory != nil {
			used.WorkingSetBytes = p.Memory.WorkingSet
		}
	}
	for i := range p.Volumes {
		v := &p.Volumes[i]
		if v.Name == DataVolume && v.Claim == nil && v.Used != nil && !v.Time.IsZero() {
			used.Data = &VolumeUsage{Bytes: *v.Used, Age: now.Sub(v.Time), Stamp: v.Time}
		}
	}
	return used
}
