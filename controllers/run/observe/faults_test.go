package observe

import (
	"context"
	"errors"
	"maps"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/internal/faults"
)

// noKinds is an API server without Chaos Mesh's definitions.
type noKinds struct{ client.Client }

func (noKinds) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return &meta.NoKindMatchError{}
}

func TestAFaultWhoseObjectCannotBeListedIsNoted(t *testing.T) {
	for name, c := range map[string]struct {
		noted v1alpha1.FaultStatus
		want  bool
	}{
		"nothing was asked for":     {v1alpha1.FaultStatus{}, false},
		"no target was chosen":      {v1alpha1.FaultStatus{State: v1alpha1.FaultIntended}, false},
		"its object may be there":   {v1alpha1.FaultStatus{State: v1alpha1.FaultIntended, Target: "m-1"}, true},
		"it was injected":           {v1alpha1.FaultStatus{State: v1alpha1.FaultInjected, Targets: []string{"m-0", "m-1"}}, true},
		"it may have been, in part": {v1alpha1.FaultStatus{State: v1alpha1.FaultNotInjected, Target: "m-1"}, true},
		"it was healed":             {v1alpha1.FaultStatus{State: v1alpha1.FaultHealed, Target: "m-1"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			o := statetest.Given(statetest.Measuring(55*time.Second), statetest.WithFault, statetest.FaultIs(c.noted, faults.State{}))
			o.Run.Spec.Faults = []v1alpha1.FaultSpec{{Name: "kill", Action: "ContainerKill"}}
			r := &Reader{Set: clients.Set{Client: noKinds{}}}
			if err := r.readFaults(t.Context(), o, nil); err != nil {
				t.Fatal(err)
			}
			if o.UnlistedFaults["kill"] != c.want {
				t.Errorf("noted: %v", o.UnlistedFaults)
			}
		})
	}
}

// podsByName is an API server that has pods, or is away.
type podsByName struct {
	client.Reader
	pods map[string]corev1.Pod
	away error
}

func (p podsByName) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	pod, there := p.pods[key.Name]
	switch {
	case p.away != nil:
		return p.away
	case !there:
		return apierrors.NewNotFound(corev1.Resource("pods"), key.Name)
	}
	pod.DeepCopyInto(into.(*corev1.Pod))
	return nil
}

func TestThePodsOfFaultsAreKnownByUIDAndAddress(t *testing.T) {
	pod := func(uid types.UID, address string) corev1.Pod {
		return corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: uid}, Status: corev1.PodStatus{PodIP: address}}
	}
	server := podsByName{pods: map[string]corev1.Pod{"m-0": pod("a", "10.0.0.1"), "m-1": pod("b", "10.0.0.2"), "other": pod("c", "10.0.0.3")}}
	o := statetest.Given(statetest.Measuring(55*time.Second), statetest.WithFault, statetest.FaultIs(v1alpha1.FaultStatus{
		State: v1alpha1.FaultInjected, Target: "m-1", Targets: []string{"m-1"}, Peers: []string{"m-0", "m-2"},
	}, faults.State{}))
	if err := (&Reader{Set: clients.Set{Direct: server}}).Ask(t.Context(), o, state.AskPods); err != nil {
		t.Fatal(err)
	}
	if want := (faults.Pods{"m-0": "a 10.0.0.1", "m-1": "b 10.0.0.2", "m-2": ""}); !maps.Equal(o.Asked.Pods, want) {
		t.Errorf("pods %v, want %v", o.Asked.Pods, want)
	}
	server.away = errors.New("connection refused")
	if err := (&Reader{Set: clients.Set{Direct: server}}).Ask(t.Context(), o, state.AskPods); !errors.Is(err, server.away) {
		t.Errorf("an API server that is away: %v", err)
	}
}

// noRecords is an API server without Chaos Mesh's records of rules; it answers for one of them as if it had it.
type noRecords struct {
	client.Reader
	there string
}

func (n noRecords) Get(_ context.Context, key client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
	if key.Name == n.there {
		return nil
	}
	return &meta.NoKindMatchError{}
}

func TestWhatStaysOfFaultsIsAskedOfThoseThatLeaveRules(t *testing.T) {
	sides := v1alpha1.FaultStatus{State: v1alpha1.FaultInjected, Targets: []string{"m-1"}, Peers: []string{"m-0"}}
	for name, c := range map[string]struct {
		action, state string
		want          map[string]faults.Rules
	}{
		"a partition":                 {"Partition", v1alpha1.FaultInjected, map[string]faults.Rules{"m-0": faults.RulesUnknown, "m-1": faults.RulesGone}},
		"a partition that was healed": {"Partition", v1alpha1.FaultHealed, nil},
		"a kill":                      {"ContainerKill", v1alpha1.FaultInjected, nil},
	} {
		t.Run(name, func(t *testing.T) {
			sides.State = c.state
			o := statetest.Given(statetest.Measuring(55*time.Second), statetest.WithFault, statetest.FaultIs(sides, faults.State{}))
			o.Run.Spec.Faults = []v1alpha1.FaultSpec{{Name: "kill", Action: c.action}}
			if err := (&Reader{Set: clients.Set{Direct: noRecords{there: "m-1"}}}).Ask(t.Context(), o, state.AskRules); err != nil || o.Asked.Rules == nil {
				t.Fatalf("%v, %v", o.Asked.Rules, err)
			}
			got := o.Asked.Rules["kill"]
			if len(got) != len(c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
			for pod, want := range c.want {
				if got[pod].Rules != want || (want == faults.RulesUnknown) != (got[pod].Trouble != "") {
					t.Errorf("in %s: %+v, want %q", pod, got[pod], want)
				}
			}
		})
	}
}
