// Package status reads and writes the status of a run: its conditions and their reasons, the records of
// its workloads and faults, and what is shown of them to people. It decides nothing.
package status

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/faults"
)

// FindWorkload is the record of a workload, an empty one where there is none. It is for reading.
func FindWorkload(run *v1alpha1.BenchmarkRun, name string) *v1alpha1.WorkloadStatus {
	if known := workload(run, name); known != nil {
		return known
	}
	return &v1alpha1.WorkloadStatus{Name: name}
}

// EnsureWorkload is FindWorkload for writing.
func EnsureWorkload(run *v1alpha1.BenchmarkRun, name string) *v1alpha1.WorkloadStatus {
	if known := workload(run, name); known != nil {
		return known
	}
	run.Status.Workloads = append(run.Status.Workloads, v1alpha1.WorkloadStatus{Name: name})
	return &run.Status.Workloads[len(run.Status.Workloads)-1]
}

// workload is the record of that name, nil where there is none.
func workload(run *v1alpha1.BenchmarkRun, name string) *v1alpha1.WorkloadStatus {
	for i := range run.Status.Workloads {
		if run.Status.Workloads[i].Name == name {
			return &run.Status.Workloads[i]
		}
	}
	return nil
}

// WorkloadCondition is nil where the workload has no such condition.
func WorkloadCondition(run *v1alpha1.BenchmarkRun, workload, kind string) *metav1.Condition {
	return meta.FindStatusCondition(FindWorkload(run, workload).Conditions, kind)
}

// WorkloadIs says that the workload's condition is True.
func WorkloadIs(run *v1alpha1.BenchmarkRun, workload, kind string) bool {
	return meta.IsStatusConditionTrue(FindWorkload(run, workload).Conditions, kind)
}

// FindFault is the record of a fault, an empty one where there is none. It is for reading.
func FindFault(run *v1alpha1.BenchmarkRun, name string) *v1alpha1.FaultStatus {
	if known := fault(run, name); known != nil {
		return known
	}
	return &v1alpha1.FaultStatus{Name: name}
}

// EnsureFault is FindFault for writing.
func EnsureFault(run *v1alpha1.BenchmarkRun, name string) *v1alpha1.FaultStatus {
	if known := fault(run, name); known != nil {
		return known
	}
	run.Status.Faults = append(run.Status.Faults, v1alpha1.FaultStatus{Name: name})
	return &run.Status.Faults[len(run.Status.Faults)-1]
}

// fault is the record of that name, nil where there is none.
func fault(run *v1alpha1.BenchmarkRun, name string) *v1alpha1.FaultStatus {
	for i := range run.Status.Faults {
		if run.Status.Faults[i].Name == name {
			return &run.Status.Faults[i]
		}
	}
	return nil
}

// SidesOf are the members that were chosen for a fault. A record of an earlier version has its one target alone.
func SidesOf(fault *v1alpha1.FaultStatus) faults.Sides {
	if len(fault.Targets) == 0 && fault.Target != "" {
		return faults.Sides{Targets: []string{fault.Target}}
	}
	return faults.Sides{Targets: fault.Targets, Peers: fault.Peers}
}

// SetSides notes the members that were chosen for a fault.
func SetSides(fault *v1alpha1.FaultStatus, sides faults.Sides) {
	fault.Target, fault.Targets, fault.Peers = sides.Sole(), sides.Targets, sides.Peers
}

// NotePods notes which pods a fault was injected into; none where nobody knows.
func NotePods(fault *v1alpha1.FaultStatus, pods faults.Pods) {
	fault.PodUIDs = nil
	if pods == nil {
		return
	}
	for _, name := range SidesOf(fault).All() {
		fault.PodUIDs = append(fault.PodUIDs, pods.UID(name))
	}
}

// PodUID is that of the pod of this name that the fault was injected into; "" where nobody knows.
func PodUID(fault *v1alpha1.FaultStatus, pod string) string {
	i := slices.Index(SidesOf(fault).All(), pod)
	if i < 0 || i >= len(fault.PodUIDs) {
		return ""
	}
	return fault.PodUIDs[i]
}
