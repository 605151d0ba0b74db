package controllers

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// The API server refuses a longer text, and nobody hears of it.
func TestTheLongestEventIsShortEnough(t *testing.T) {
	recorder := events.NewFakeRecorder(10)
	after := &v1alpha1.BenchmarkRun{}
	after.Status.Workloads = []v1alpha1.WorkloadStatus{{Name: strings.Repeat("w", 20), Conditions: []metav1.Condition{
		{Type: v1alpha1.ConditionLoaded, Status: metav1.ConditionUnknown, Reason: "JobNotCreated", Message: cut(strings.Repeat("ä", 2000), 1024)},
	}}}
	(&Reconciler{Recorder: recorder}).tell(&v1alpha1.BenchmarkRun{}, after)
	told := <-recorder.Events
	note, found := strings.CutPrefix(told, "Warning JobNotCreated ")
	if !found || len(note) > maxNote || !strings.HasSuffix(note, "...") {
		t.Errorf("%d bytes: %q", len(note), told)
	}
}
