package chaosmesh

import (
	"context"
	"slices"
	"strings"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// LeftIn names the faults that somebody ended and whose rules are in a pod all the same: the object of such a fault is
// gone, or is being deleted. A name has the fault's namespace before it. Where Chaos Mesh's daemon has not carried out
// the last change of the pod's rules, nobody knows whose are there, and that stands in place of a name. Without Chaos Mesh
// there are none.
func LeftIn(ctx context.Context, reader client.Reader, pod client.ObjectKey) ([]string, error) {
	record := &chaos.PodNetworkChaos{}
	if err := reader.Get(ctx, pod, record); err != nil {
		return nil, ignoreAbsent(err)
	}
	var left []string
	for _, source := range sourcesOf(record) {
		ended, err := hasEnded(ctx, reader, source)
		if err != nil {
			return nil, err
		}
		if ended {
			left = append(left, source)
		}
	}
	if open := notCarriedOut(record); open != "" {
		left = append(left, "a fault that ended ("+open+")")
	}
	return left, nil
}

// sourcesOf are the faults whose rules the record has: namespace, slash and name of each.
func sourcesOf(record *chaos.PodNetworkChaos) []string {
	var sources []string
	for i := range record.Spec.Iptables {
		sources = append(sources, record.Spec.Iptables[i].Source)
	}
	for i := range record.Spec.IPSets {
		sources = append(sources, record.Spec.IPSets[i].Source)
	}
	for i := range record.Spec.TrafficControls {
		sources = append(sources, record.Spec.TrafficControls[i].Source)
	}
	slices.Sort(sources)
	return slices.Compact(sources)
}

func hasEnded(ctx context.Context, reader client.Reader, source string) (bool, error) {
	namespace, name, _ := strings.Cut(source, "/")
	object := &chaos.NetworkChaos{}
	if err := reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, object); err != nil {
		return true, ignoreAbsent(err)
	}
	return !object.DeletionTimestamp.IsZero(), nil
}

// ignoreAbsent is nil where the object isn't there, or its kind isn't. A path that the API server doesn't know is a
// kind that isn't there.
func ignoreAbsent(err error) error {
	if meta.IsNoMatchError(err) || apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse) && apierrors.IsNotFound(err) {
		return nil
	}
	return client.IgnoreNotFound(err)
}
