package chaosmesh

import (
	"maps"
	"slices"
	"testing"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/internal/faults"
)

var someSides = faults.Sides{Targets: []string{"m-1"}}

func TestAnObjectCarriesThePodsThatItWasMadeFor(t *testing.T) {
	pods := faults.Pods{"m-0": "uid 10.0.0.1", "m-1": ""}
	object, err := podKill(Injection{Meta: metav1.ObjectMeta{Namespace: "n", Name: "f"}, Sides: someSides, Pods: pods})
	if err != nil {
		t.Fatal(err)
	}
	if state := podChaosKind.StateOf(object); !maps.Equal(state.Pods, pods) {
		t.Errorf("the object tells of %v, want %v", state.Pods, pods)
	}
}

func TestWhatCannotBePodsIsNone(t *testing.T) {
	for _, text := range []string{"", "m-0", "null", `["m-0"]`, `{"m-0":1}`, `{"m-0":`} {
		object := &chaos.PodChaos{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{podsAnnotation: text}}}
		if got := podsOf(object); got != nil {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}

func TestASelectorThatNamesNoPodsOfTheNamespaceHasNoSides(t *testing.T) {
	for name, c := range map[string]struct {
		pods map[string][]string
		want []string
	}{
		"two, in any order":      {map[string][]string{"n": {"m-2", "m-0"}}, []string{"m-0", "m-2"}},
		"none":                   {nil, nil},
		"of another namespace":   {map[string][]string{"other": {"m-0"}}, nil},
		"of two namespaces":      {map[string][]string{"n": {"m-0"}, "other": {"m-0"}}, nil},
		"an empty list of names": {map[string][]string{"n": {}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			object := &chaos.PodChaos{ObjectMeta: metav1.ObjectMeta{Namespace: "n"}}
			object.Spec.Selector.Pods = c.pods
			if got := podChaosKind.StateOf(object).Sides; !slices.Equal(got.Targets, c.want) || got.Peers != nil {
				t.Errorf("sides %v, want %v", got, c.want)
			}
		})
	}
}
