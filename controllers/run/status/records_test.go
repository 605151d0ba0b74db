package status

import (
	"testing"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/faults"
)

func TestThePodsOfAFaultAreNotedByTheirUIDs(t *testing.T) {
	fault := &v1alpha1.FaultStatus{Targets: []string{"m-1"}, Peers: []string{"m-0", "m-2"}}
	if got := PodUID(fault, "m-1"); got != "" {
		t.Errorf("before anything is noted it is %q", got)
	}
	NotePods(fault, faults.Pods{"m-0": faults.Identity("a", "10.0.0.1"), "m-1": faults.Identity("b", ""), "m-2": ""})
	for pod, want := range map[string]string{"m-0": "a", "m-1": "b", "m-2": "", "m-3": ""} {
		if got := PodUID(fault, pod); got != want {
			t.Errorf("%s has %q, want %q", pod, got, want)
		}
	}
	if NotePods(fault, nil); PodUID(fault, "m-0") != "" {
		t.Error("what nobody knows is what was known of an earlier object")
	}
}
