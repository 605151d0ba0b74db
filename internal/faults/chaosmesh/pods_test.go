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
	object, err := partition(Injection{Meta: metav1.ObjectMeta{Namespace: "n", Name: "f"}, Sides: faults.Sides{Targets: []string{"m-1"}, Peers: []string{"m-0"}}, Pods: pods})
	if err != nil {
		t.Fatal(err)
	}
	if state := networkChaosKind.StateOf(object); !maps.Equal(state.Pods, pods) {
		t.Errorf("the object tells of %v, want %v", state.Pods, pods)
	}
}

func TestWhatCannotBeTheObjectsPodsIsNone(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":          "",
		"no JSON":          "m-0",
		"null":             "null",
		"a list":           `["m-0"]`,
		"a number":         `{"m-0":1}`,
		"half of it":       `{"m-0":`,
		"no pod":           "{}",
		"only one side":    `{"m-1":"b"}`,
		"one pod too many": `{"m-0":"a","m-1":"b","m-2":"c"}`,
		"another pod":      `{"m-1":"b","m-2":"c"}`,
	} {
		t.Run(name, func(t *testing.T) {
			object, err := partition(Injection{Meta: metav1.ObjectMeta{Namespace: "n"}, Sides: faults.Sides{Targets: []string{"m-1"}, Peers: []string{"m-0"}}})
			if err != nil {
				t.Fatal(err)
			}
			object.SetAnnotations(map[string]string{podsAnnotation: text})
			if got := networkChaosKind.StateOf(object).Pods; got != nil {
				t.Errorf("%q is taken for %v", text, got)
			}
		})
	}
	selectsOtherwise := &chaos.PodChaos{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{podsAnnotation: "{}"}}}
	if got := podChaosKind.StateOf(selectsOtherwise).Pods; got != nil {
		t.Errorf("an object that names no pods was made for %v", got)
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
