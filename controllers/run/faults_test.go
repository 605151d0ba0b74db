package run

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/run/decide"
	"github.com/kvbench/kvbench/controllers/run/state"
	"github.com/kvbench/kvbench/controllers/run/state/statetest"
	"github.com/kvbench/kvbench/controllers/servertime"
	"github.com/kvbench/kvbench/internal/faults"
)

// pastCache is an API server that has faults, or refuses to list them.
type pastCache struct {
	client.Reader
	kills   []chaos.PodChaos
	refuses error
}

func (p pastCache) List(_ context.Context, into client.ObjectList, _ ...client.ListOption) error {
	if kills, is := into.(*chaos.PodChaosList); is {
		kills.Items = p.kills
	}
	return p.refuses
}

func TestARunThatFailsWaitsForTheNewsOfItsFaults(t *testing.T) {
	intended := statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultIntended, Target: "m-1"}, faults.State{})
	kill := func(o *state.Observed, injected corev1.ConditionStatus) chaos.PodChaos {
		made := chaos.PodChaos{ObjectMeta: metav1.ObjectMeta{Name: names.FaultName(names.RunID(o.Run), "kill"), Namespace: "bench", UID: "a-fault", OwnerReferences: names.OwnedBy(o.Run)}}
		made.Status.Conditions = []chaos.ChaosCondition{{Type: chaos.ConditionAllInjected, Status: injected}}
		return made
	}
	away := errors.New("connection refused")
	gone := chaos.Resource("podchaos")
	for name, c := range map[string]struct {
		found    statetest.Situation
		injected corev1.ConditionStatus // "" where there is no object
		refuses  error
		late     string
		err      error
	}{
		"injected":                       {intended, corev1.ConditionTrue, nil, "kill", nil},
		"not injected":                   {intended, corev1.ConditionFalse, nil, "", nil},
		"not made":                       {intended, "", nil, "", nil},
		"injected, as the cache knows":   {statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultIntended}, faults.State{Exists: true, Injected: true}), corev1.ConditionTrue, nil, "", nil},
		"not intended: nobody is asked":  {statetest.WithFault, corev1.ConditionTrue, away, "", nil},
		"noted: nobody is asked":         {statetest.FaultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{}), "", away, "", nil},
		"the API server is away":         {intended, "", away, "", away},
		"its kind is gone":               {intended, "", &meta.NoKindMatchError{}, "", nil},
		"its kind is gone from a server": {intended, "", apierrors.NewNotFound(gone, ""), "", nil},
		"it may not be listed":           {intended, "", apierrors.NewForbidden(gone, "", nil), "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			o := statetest.Given(statetest.Measuring(42*time.Second), statetest.WithFault, c.found)
			o.Run.Spec.Faults = []v1alpha1.FaultSpec{{Name: "kill"}}
			server := pastCache{refuses: c.refuses}
			if c.injected != "" {
				server.kills = []chaos.PodChaos{kill(o, c.injected)}
			}
			statetest.Job("measure-a", state.Job{Failed: true})(o)
			r := &Reconciler{Set: clients.Set{Direct: server, Results: &statetest.Clocks{Local: statetest.Epoch}, Clock: &servertime.Clock{}}}
			decided := func() (decide.Decision, error) {
				o.Asked = state.Answers{}
				return r.decided(t.Context(), o)
			}
			d, err := decided()
			if late := d.Verb == decide.DoWait; !errors.Is(err, c.err) || c.err == nil && late != (c.late != "") || !strings.Contains(d.Message, c.late) {
				t.Fatalf("%s %q, %v", d.Verb, d.Message, err)
			}
			if c.late == "" {
				return
			}
			o.Now = o.Now.Add(decide.NewsDeadline)
			if d, err := decided(); d.Verb != decide.DoFail || err != nil {
				t.Errorf("after %s: %s %q, %v", decide.NewsDeadline, d.Verb, d.Message, err)
			}
			if !o.FaultObject("kill").Injected {
				t.Error("what was found past the cache isn't what the run ends with")
			}
		})
	}
}
