package chaosmesh

import (
	"context"
	"errors"
	"net/http"
	"testing"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/internal/faults"
)

// records is an API server that has a record of the pod m-0, or answers with an error.
type records struct {
	client.Reader
	record chaos.PodNetworkChaos
	err    error
}

func (r records) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	if key != (client.ObjectKey{Namespace: "n", Name: "m-0"}) {
		return errors.New("another object was asked for")
	}
	r.record.DeepCopyInto(into.(*chaos.PodNetworkChaos))
	return r.err
}

func TestWhatStaysOfAFaultInAPod(t *testing.T) {
	of := func(source string) chaos.RawRuleSource { return chaos.RawRuleSource{Source: source} }
	record := func(change func(*chaos.PodNetworkChaos)) chaos.PodNetworkChaos {
		var made chaos.PodNetworkChaos
		made.Generation, made.Status.ObservedGeneration = 4, 4
		change(&made)
		return made
	}
	nothing := func(*chaos.PodNetworkChaos) {}
	gone := chaos.Resource("podnetworkchaos")
	for name, c := range map[string]struct {
		record chaos.PodNetworkChaos
		err    error
		want   faults.Rules
		fails  bool
	}{
		"it has nothing":              {record(nothing), nil, faults.RulesGone, false},
		"it has a rule":               {record(func(r *chaos.PodNetworkChaos) { r.Spec.Iptables = []chaos.RawIptables{{RawRuleSource: of("n/f")}} }), nil, faults.RulesThere, false},
		"it has a set of addresses":   {record(func(r *chaos.PodNetworkChaos) { r.Spec.IPSets = []chaos.RawIPSet{{RawRuleSource: of("n/f")}} }), nil, faults.RulesThere, false},
		"it has a queue":              {record(func(r *chaos.PodNetworkChaos) { r.Spec.TrafficControls = []chaos.RawTrafficControl{{Source: "n/f"}} }), nil, faults.RulesThere, false},
		"it has another one's":        {record(func(r *chaos.PodNetworkChaos) { r.Spec.Iptables = []chaos.RawIptables{{RawRuleSource: of("n/f-2")}} }), nil, faults.RulesGone, false},
		"it isn't carried out":        {record(func(r *chaos.PodNetworkChaos) { r.Status.ObservedGeneration = 3 }), nil, faults.RulesUnknown, false},
		"it could not be carried out": {record(func(r *chaos.PodNetworkChaos) { r.Status.FailedMessage = "no daemon" }), nil, faults.RulesUnknown, false},
		"there is none":               {record(nothing), apierrors.NewNotFound(gone, "m-0"), faults.RulesUntold, false},
		"its kind is gone":            {record(nothing), &meta.NoKindMatchError{}, faults.RulesUnknown, true},
		"its kind is gone from a server": {record(nothing), apierrors.NewGenericServerResponse(http.StatusNotFound, "get", gone, "m-0", "404 page not found", 0, true),
			faults.RulesUnknown, true},
		"it may not be read":     {record(nothing), apierrors.NewForbidden(gone, "m-0", nil), faults.RulesUnknown, true},
		"the API server is away": {record(nothing), errors.New("connection refused"), faults.RulesUnknown, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := RemainsIn(t.Context(), records{record: c.record, err: c.err}, client.ObjectKey{Namespace: "n", Name: "f"}, "m-0")
			if got.Rules != c.want || (err != nil) != c.fails {
				t.Errorf("%+v, %v, want %q", got, err, c.want)
			}
			if unknown := got.Rules == faults.RulesUnknown && err == nil; unknown != (got.Trouble != "") {
				t.Errorf("its trouble is %q", got.Trouble)
			}
		})
	}
}
