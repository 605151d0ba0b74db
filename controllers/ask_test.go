package controllers

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
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/faults"
)

// pastCache is an API server that has faults, or refuses to list them.
type pastCache struct {
	client.Reader
	kills   []chaos.PodChaos
	refuses error
}

func (p pastCache) List(_ context.Context, into client.ObjectList, _ ...client.ListOption) error {
	into.(*chaos.PodChaosList).Items = p.kills
	return p.refuses
}

func TestARunThatFailsWaitsForTheNewsOfItsFaults(t *testing.T) {
	intended := faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultIntended, Target: "m-1"}, faults.State{})
	kill := func(o *observed, injected corev1.ConditionStatus) chaos.PodChaos {
		made := chaos.PodChaos{ObjectMeta: metav1.ObjectMeta{Name: faultName(runID(o.Run), "kill"), Namespace: "bench", UID: "a-fault", OwnerReferences: ownedBy(o.Run)}}
		made.Status.Conditions = []chaos.ChaosCondition{{Type: chaos.ConditionAllInjected, Status: injected}}
		return made
	}
	away := errors.New("connection refused")
	gone := chaos.Resource("podchaos")
	for name, c := range map[string]struct {
		state    situation
		injected corev1.ConditionStatus // "" where there is no object
		refuses  error
		late     string
		err      error
	}{
		"injected":                       {intended, corev1.ConditionTrue, nil, "kill", nil},
		"not injected":                   {intended, corev1.ConditionFalse, nil, "", nil},
		"not made":                       {intended, "", nil, "", nil},
		"injected, as the cache knows":   {faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultIntended}, faults.State{Exists: true, Injected: true}), corev1.ConditionTrue, nil, "", nil},
		"not intended: nobody is asked":  {withFault, corev1.ConditionTrue, away, "", nil},
		"noted: nobody is asked":         {faultIs(v1alpha1.FaultStatus{State: v1alpha1.FaultInjected}, faults.State{}), "", away, "", nil},
		"the API server is away":         {intended, "", away, "", away},
		"its kind is gone":               {intended, "", &meta.NoKindMatchError{}, "", nil},
		"its kind is gone from a server": {intended, "", apierrors.NewNotFound(gone, ""), "", nil},
		"it may not be listed":           {intended, "", apierrors.NewForbidden(gone, "", nil), "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			o := given(measuring(42*time.Second), withFault, c.state)
			o.Run.Spec.Faults = []v1alpha1.FaultSpec{{Name: "kill"}}
			server := pastCache{refuses: c.refuses}
			if c.injected != "" {
				server.kills = []chaos.PodChaos{kill(o, c.injected)}
			}
			job("measure-a", jobState{Failed: true})(o)
			r := &Reconciler{Direct: server, Results: &clocks{local: epoch}}
			decided := func() (decision, error) {
				o.Asked = answers{}
				return r.decided(t.Context(), o)
			}
			d, err := decided()
			if late := d.Verb == doWait; !errors.Is(err, c.err) || c.err == nil && late != (c.late != "") || !strings.Contains(d.Message, c.late) {
				t.Fatalf("%s %q, %v", d.Verb, d.Message, err)
			}
			if c.late == "" {
				return
			}
			o.Now = o.Now.Add(newsDeadline)
			if d, err := decided(); d.Verb != doFail || err != nil {
				t.Errorf("after %s: %s %q, %v", newsDeadline, d.Verb, d.Message, err)
			}
			if !o.faultObject("kill").Injected {
				t.Error("what was found past the cache isn't what the run ends with")
			}
		})
	}
}

// Whatever a run fails for, its report says of a fault that was begun whether it hit, and which member.
func TestARunThatFailsSaysWhatItsFaultsHit(t *testing.T) {
	requested, chosen := epoch.Add(-9*time.Second).UnixNano(), epoch.Add(-3*time.Second).UnixNano()
	begun := v1alpha1.FaultStatus{State: v1alpha1.FaultIntended, Target: "m-1", LeaderBefore: "m-1", TermBefore: 7,
		RequestedUnixNanos: requested, InjectedAfterUnixNanos: chosen}
	for name, c := range map[string]struct {
		status                v1alpha1.FaultStatus
		object                faults.State
		state, target, leader string
		after                 int64
	}{
		"injected":            {begun, faults.State{Exists: true, Injected: true, Pod: "m-1"}, v1alpha1.FaultInjected, "m-1", "m-1", chosen},
		"into another member": {begun, faults.State{Exists: true, Injected: true, Pod: "m-2"}, v1alpha1.FaultInjected, "m-2", "", requested},
		"into another pod":    {begun, faults.State{Exists: true, Injected: true, Pod: "x"}, v1alpha1.FaultInjected, "", "", requested},
		"not injected":        {begun, faults.State{Exists: true, Pod: "m-1"}, v1alpha1.FaultNotInjected, "m-1", "m-1", chosen},
		"not begun":           {v1alpha1.FaultStatus{}, faults.State{}, "", "", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			o := given(measuring(42*time.Second), withFault, faultIs(c.status, c.object))
			failing(o, fail("MeasurementLost", "a worker was lost"))
			got := findFault(o.Run, "kill")
			if got.State != c.state || got.Target != c.target || got.LeaderBefore != c.leader || got.InjectedAfterUnixNanos != c.after {
				t.Errorf("%+v", got)
			}
			if c.state == v1alpha1.FaultInjected && (got.ClockBoundNanos != bundle.MaxClockBoundNanos || got.InjectedBeforeUnixNanos <= got.InjectedAfterUnixNanos) {
				t.Errorf("its time is known: %+v", got)
			}
		})
	}
}
