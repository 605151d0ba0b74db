package chaosmesh

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// served is an API server that has a record of the pod n/m-0, and faults.
type served struct {
	client.Reader
	record    chaos.PodNetworkChaos
	recordErr error
	faults    map[string]chaos.NetworkChaos
	faultErr  error
}

func (s served) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	switch into := into.(type) {
	case *chaos.PodNetworkChaos:
		if key.String() != "n/m-0" {
			return errors.New("another record was asked for")
		}
		s.record.DeepCopyInto(into)
		return s.recordErr
	case *chaos.NetworkChaos:
		fault, found := s.faults[key.String()]
		if !found && s.faultErr == nil {
			return apierrors.NewNotFound(chaos.Resource("networkchaos"), key.Name)
		}
		fault.DeepCopyInto(into)
		return s.faultErr
	}
	return errors.New("another kind was asked for")
}

func TestWhatEndedFaultsLeaveInAPod(t *testing.T) {
	of := func(source string) chaos.RawRuleSource { return chaos.RawRuleSource{Source: source} }
	var record chaos.PodNetworkChaos
	record.Spec.Iptables = []chaos.RawIptables{{RawRuleSource: of("n/gone")}, {RawRuleSource: of("n/at-work")}}
	record.Spec.IPSets = []chaos.RawIPSet{{RawRuleSource: of("n/gone")}, {RawRuleSource: of("o/going")}}
	record.Spec.TrafficControls = []chaos.RawTrafficControl{{Source: "n/slow"}}
	now := metav1.Now()
	var failed, behind chaos.PodNetworkChaos
	failed.Status.FailedMessage = "no daemon"
	behind.Generation = 2
	there := map[string]chaos.NetworkChaos{"n/at-work": {}, "o/going": {ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &now}}}
	kind := chaos.Resource("podnetworkchaos")
	noPath := apierrors.NewGenericServerResponse(http.StatusNotFound, "get", kind, "m-0", "404 page not found", 0, true)
	away := errors.New("connection refused")
	for name, c := range map[string]struct {
		served served
		left   []string
		fails  bool
	}{
		"those that are gone or going":       {served{record: record, faults: there}, []string{"n/gone", "n/slow", "o/going"}, false},
		"nothing is in the record":           {served{}, nil, false},
		"its rules could not be taken back":  {served{record: failed}, []string{"a fault that ended (no daemon)"}, false},
		"its rules were not taken back yet":  {served{record: behind}, []string{"a fault that ended (Chaos Mesh's daemon has not carried out the last change of its rules)"}, false},
		"there is no record":                 {served{recordErr: apierrors.NewNotFound(kind, "m-0")}, nil, false},
		"its kind is not there":              {served{recordErr: &meta.NoKindMatchError{}}, nil, false},
		"its kind is not there on a server":  {served{recordErr: noPath}, nil, false},
		"the record may not be read":         {served{recordErr: apierrors.NewForbidden(kind, "m-0", nil)}, nil, true},
		"the fault's kind is not there":      {served{record: record, faultErr: &meta.NoKindMatchError{}}, []string{"n/at-work", "n/gone", "n/slow", "o/going"}, false},
		"the API server is away for a fault": {served{record: record, faultErr: away}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			left, err := LeftIn(t.Context(), c.served, client.ObjectKey{Namespace: "n", Name: "m-0"})
			if !slices.Equal(left, c.left) || (err != nil) != c.fails {
				t.Errorf("%q, %v, want %q", left, err, c.left)
			}
		})
	}
}
