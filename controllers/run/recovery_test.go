package run

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/controllers/run/status"
	"github.com/kvbench/kvbench/internal/bundle"
)

// observerPod is a cluster that has the observer's pod alone.
type observerPod struct{ client.Client }

func (observerPod) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	pod := corev1.Pod{}
	pod.Status.PodIP = "192.0.2.1"
	list.(*corev1.PodList).Items = []corev1.Pod{pod}
	return nil
}

// observingWith is a controller whose observer says this.
func observingWith(line *bundle.TopologyLine, err error) *Reconciler {
	return &Reconciler{Set: clients.Set{Client: observerPod{}, Sample: func(context.Context, string) (*bundle.TopologyLine, error) { return line, err }}}
}

func TestAWorkloadAfterFaultsSaysWhatItWaitsFor(t *testing.T) {
	for _, c := range []struct {
		name  string
		line  *bundle.TopologyLine
		err   error
		noted metav1.ConditionStatus
		says  string
		told  string // type and reason of the event, "" for none
	}{
		{"nothing: the store is whole", &bundle.TopologyLine{Steady: true}, nil, "True", "the observer sees all members well", ""},
		{"a member", statetest.UnwellLine(), nil, "Unknown", "after the faults of workload a: m-1 is not well: Unavailable: connection refused", "Normal Recovering"},
		{"the observer", nil, errors.New("read 10.0.0.1:50412->10.0.0.2:8080: refused"), "Unknown", "after the faults of workload a: the observer gave no look at the members: read 10.0.0.2:8080: refused", "Normal Recovering"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := statetest.Given(statetest.AfterFaults)
			before := o.Run.DeepCopy()
			after, err := pass(t, observingWith(c.line, c.err), o)
			if err != nil || after != decide.WholeLook {
				t.Fatalf("again after %s, %v", after, err)
			}
			whole := status.WorkloadCondition(o.Run, "b", v1alpha1.ConditionStoreWhole)
			if whole == nil || whole.Status != c.noted || !strings.Contains(whole.Message, c.says) {
				t.Fatalf("the condition is %+v", whole)
			}
			told := ""
			for _, e := range status.Story(before, o.Run) {
				told += e.Type + " " + e.Reason
			}
			if told != c.told {
				t.Errorf("told is %q, want %q", told, c.told)
			}
		})
	}
}

func TestTheEndOfAWaitIsTold(t *testing.T) {
	o := statetest.Given(statetest.AfterFaults, statetest.WholeIs("Unknown", time.Minute))
	before := o.Run.DeepCopy()
	if _, err := pass(t, observingWith(&bundle.TopologyLine{Steady: true}, nil), o); err != nil {
		t.Fatal(err)
	}
	if told := status.Story(before, o.Run); len(told) != 1 || told[0].Reason != "Whole" || told[0].Message != "workload b: the observer sees all members well" {
		t.Errorf("told is %+v", told)
	}
}

// With each change of the status a pass follows at once.
func TestTheObserverIsAskedOnceInAWhile(t *testing.T) {
	asked := 0
	r := observingWith(nil, nil)
	r.Sample = func(context.Context, string) (*bundle.TopologyLine, error) {
		asked++
		return statetest.UnwellLine(), nil
	}
	o := statetest.Given(statetest.AfterFaults)
	for range 5 {
		if _, err := pass(t, r, o); err != nil {
			t.Fatal(err)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times in the same instant", asked)
	}
}

func TestAStoreThatIsNotWholeInTimeIsNamedAndTheRunGoesOn(t *testing.T) {
	o := statetest.Given(statetest.AfterFaults, statetest.WholeIs("Unknown", 11*time.Minute))
	before := o.Run.DeepCopy()
	if _, err := pass(t, observingWith(statetest.UnwellLine(), nil), o); err != nil {
		t.Fatal(err)
	}
	whole := status.WorkloadCondition(o.Run, "b", v1alpha1.ConditionStoreWhole)
	const want = "the faults of workload a left a store that is not whole again after 10m0s: m-1 is not well: Unavailable: connection refused; the workload goes on, and is valid only if the store is whole when its measurement begins (spec.timeouts.deploy says how long is waited)"
	if whole == nil || whole.Status != "False" || whole.Reason != status.ReasonNotWhole || whole.Message != want {
		t.Errorf("the condition is %+v", whole)
	}
	if told := status.Story(before, o.Run); len(told) != 1 || told[0].Type != "Warning" || told[0].Reason != "NotWhole" {
		t.Errorf("told is %+v", told)
	}
	if d := decide.Decide(o); d.Verb != decide.DoCreateJob || d.Workload != "b" {
		t.Errorf("then it decides %+v", d)
	}
}
