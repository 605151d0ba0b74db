package chaosmesh

import (
	"testing"
	"time"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAnObjectCarriesWhenItWasAskedFor(t *testing.T) {
	asked := Asked{time.Unix(7, 8), 9 * time.Millisecond}
	given := metav1.ObjectMeta{Namespace: "n", Name: "f", Annotations: map[string]string{"mine": "stays"}}
	object, err := podKill(Injection{Meta: given, Sides: someSides, Asked: asked})
	if err != nil {
		t.Fatal(err)
	}
	state := podChaosKind.StateOf(object)
	if !state.AskedAfter.Equal(asked.After) || state.ClockBound != asked.Bound || object.GetAnnotations()["mine"] != "stays" {
		t.Errorf("%+v, annotations %v", state, object.GetAnnotations())
	}
	if len(given.Annotations) != 1 {
		t.Errorf("the caller's annotations are %v", given.Annotations)
	}
}

func TestWhatCannotBeATimeIsNone(t *testing.T) {
	for _, text := range []string{"", "soon", "7", "7/", "7/x", "-7/8", "0/8", "7/-8", "9223372036854775808/1"} {
		object := &chaos.PodChaos{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{askedAnnotation: text}}}
		if got := askedOf(object); got != (Asked{}) {
			t.Errorf("%q is taken for %+v", text, got)
		}
	}
}

func TestAnInjectionIsSeenByItsRecordsOrItsCondition(t *testing.T) {
	injected, not := &chaos.Record{Phase: chaos.Injected}, &chaos.Record{Phase: chaos.NotInjected}
	for name, c := range map[string]struct {
		records   []*chaos.Record
		condition corev1.ConditionStatus
		want      bool
	}{
		"nothing is selected":               {nil, corev1.ConditionFalse, false},
		"one of two is injected":            {[]*chaos.Record{injected, not}, corev1.ConditionFalse, false},
		"both are, and it isn't summed up":  {[]*chaos.Record{injected, injected}, corev1.ConditionFalse, true},
		"it is summed up":                   {[]*chaos.Record{injected}, corev1.ConditionTrue, true},
		"a record is empty":                 {[]*chaos.Record{nil}, corev1.ConditionFalse, false},
		"the records are of another format": {[]*chaos.Record{nil}, corev1.ConditionTrue, true},
	} {
		t.Run(name, func(t *testing.T) {
			object := &chaos.PodChaos{}
			object.Status.Experiment.Records = c.records
			object.Status.Conditions = []chaos.ChaosCondition{{Type: chaos.ConditionAllInjected, Status: c.condition}}
			if state := podChaosKind.StateOf(object); state.Injected != c.want {
				t.Errorf("injected %v, want %v", state.Injected, c.want)
			}
		})
	}
}
