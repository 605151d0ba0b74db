package chaosmesh

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/internal/faults"
)

func TestEachActionOfTheCatalogHasABuilder(t *testing.T) {
	if len(builders) != len(faults.Names()) {
		t.Errorf("%d builders for the actions %v", len(builders), faults.Names())
	}
	for _, action := range faults.Names() {
		builder, known := BuilderOf(action)
		if !known {
			t.Errorf("no builder for %s", action)
			continue
		}
		object := builder.Object(Injection{Meta: metav1.ObjectMeta{Namespace: "n", Name: "f"}, Pod: "m-1", Container: "store"})
		if state := StateOf(object); !state.Exists || state.Injected || state.Pod != "m-1" {
			t.Errorf("%s: the state of an object that was just built is %+v", action, state)
		}
		if builder.Definition == "" || builder.New() == nil {
			t.Errorf("%s: definition %q", action, builder.Definition)
		}
	}
}
