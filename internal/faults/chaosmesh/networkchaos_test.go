package chaosmesh

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/internal/faults"
)

func partitionOf(sides faults.Sides, parameters string) Injection {
	injection := Injection{Meta: metav1.ObjectMeta{Namespace: "n", Name: "f"}, Sides: sides, Lasts: 10 * time.Second}
	if parameters != "" {
		injection.Parameters = json.RawMessage(parameters)
	}
	return injection
}

func TestAPartitionIsBetweenTheMembersThatItNames(t *testing.T) {
	sides := faults.Sides{Targets: []string{"m-1"}, Peers: []string{"m-0", "m-2"}}
	for parameters, want := range map[string]chaos.Direction{"": chaos.Both, `{"direction":"To"}`: chaos.To, `{"direction":"From"}`: chaos.From} {
		object, err := partition(partitionOf(sides, parameters))
		if err != nil {
			t.Fatal(err)
		}
		made := object.(*chaos.NetworkChaos)
		if made.Spec.Direction != want || made.Spec.Action != chaos.PartitionAction {
			t.Errorf("%s: %+v", parameters, made.Spec)
		}
		if made.Spec.Target == nil || made.Spec.Target.Mode != chaos.AllMode || !slices.Equal(made.Spec.Target.Selector.Pods["n"], sides.Peers) {
			t.Fatalf("its other side is %+v", made.Spec.Target)
		}
		if state := networkChaosKind.StateOf(made); !state.Sides.Equal(sides) {
			t.Errorf("its sides are %q, want %q", state.Sides, sides)
		}
		if lasts, err := time.ParseDuration(*made.Spec.Duration); err != nil || lasts != 70*time.Second {
			t.Errorf("Chaos Mesh ends it after %s, want 1m10s", *made.Spec.Duration)
		}
	}
}

func TestAPartitionThatWouldHitOthersIsNotMade(t *testing.T) {
	for name, injection := range map[string]Injection{
		"without peers":       partitionOf(faults.Sides{Targets: []string{"m-1"}}, ""),
		"without targets":     partitionOf(faults.Sides{Peers: []string{"m-1"}}, ""),
		"of no direction":     partitionOf(faults.Sides{Targets: []string{"m-1"}, Peers: []string{"m-0"}}, `{"direction":"up"}`),
		"of other parameters": partitionOf(faults.Sides{Targets: []string{"m-1"}, Peers: []string{"m-0"}}, `[]`),
	} {
		if object, err := partition(injection); err == nil {
			t.Errorf("%s: %+v", name, object)
		}
	}
}
