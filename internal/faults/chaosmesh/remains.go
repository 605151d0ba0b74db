package chaosmesh

import (
	"context"
	"slices"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/internal/faults"
)

// +kubebuilder:rbac:groups=chaos-mesh.org,resources=podnetworkchaos,verbs=get

// RemainsIn reads what stays of a fault's object, which may be gone, in a pod of its namespace. Chaos Mesh keeps a
// record of the rules in each pod, a PodNetworkChaos of the pod's name. Its daemon brings the pod to what the record
// says, and the record tells how far that is.
func RemainsIn(ctx context.Context, reader client.Reader, fault client.ObjectKey, pod string) (faults.Remains, error) {
	record := &chaos.PodNetworkChaos{}
	err := reader.Get(ctx, client.ObjectKey{Namespace: fault.Namespace, Name: pod}, record)
	switch {
	case err == nil:
		return remainsOf(record, fault), nil
	case apierrors.IsNotFound(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse):
		return faults.Remains{Rules: faults.RulesUntold}, nil
	}
	return faults.Remains{}, err // the definition may be away: the server then has no such path
}

func remainsOf(record *chaos.PodNetworkChaos, fault client.ObjectKey) faults.Remains {
	switch {
	case hasEntries(record, fault.String()):
		return faults.Remains{Rules: faults.RulesThere}
	case notCarriedOut(record) != "":
		return faults.Remains{Trouble: notCarriedOut(record)}
	}
	return faults.Remains{Rules: faults.RulesGone}
}

// notCarriedOut is why the pod's rules aren't those of its record; "" where they are.
func notCarriedOut(record *chaos.PodNetworkChaos) string {
	switch {
	case record.Status.FailedMessage != "":
		return record.Status.FailedMessage
	case record.Status.ObservedGeneration < record.Generation:
		return "Chaos Mesh's daemon has not carried out the last change of its rules"
	}
	return ""
}

// hasEntries says that the record has rules of the source: namespace, slash and name of a fault's object.
func hasEntries(record *chaos.PodNetworkChaos, source string) bool {
	return slices.Contains(sourcesOf(record), source)
}
