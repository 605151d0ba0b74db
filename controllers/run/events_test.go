package run

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/message"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/status"
)

// The API server refuses a longer text, and nobody hears of it.
func TestTheLongestEventIsShortEnough(t *testing.T) {
	recorder := events.NewFakeRecorder(10)
	after := &v1alpha1.BenchmarkRun{}
	after.Status.Workloads = []v1alpha1.WorkloadStatus{{Name: strings.Repeat("w", 20), Conditions: []metav1.Condition{
		{Type: v1alpha1.ConditionLoaded, Status: metav1.ConditionUnknown, Reason: "JobNotCreated", Message: message.Cut(strings.Repeat("ä", 2000), 1024)},
	}}}
	(&Reconciler{Set: clients.Set{Recorder: recorder}}).tell(&v1alpha1.BenchmarkRun{}, after)
	told := <-recorder.Events
	note, found := strings.CutPrefix(told, "Warning JobNotCreated ")
	if !found || len(note) > status.MaxNote || !strings.HasSuffix(note, "...") {
		t.Errorf("%d bytes: %q", len(note), told)
	}
}
