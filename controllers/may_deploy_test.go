package controllers

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/kvbench/kvbench/internal/helm"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

func TestEachKindOfAManifestIsAskedForOnce(t *testing.T) {
	for name, c := range map[string]struct {
		manifest string
		want     []string
	}{
		"nothing: Helm's record alone": {"", []string{"/v1, Kind=Secret"}},
		"some twice": {"---\n# Source: a\napiVersion: v1\nkind: Service\nmetadata: {name: a}\n---\n\n---\napiVersion: apps/v1\nkind: StatefulSet\n---\napiVersion: v1\nkind: Service\nmetadata: {name: b}\n",
			[]string{"/v1, Kind=Secret", "/v1, Kind=Service", "apps/v1, Kind=StatefulSet"}},
		"a Secret of its own": {"apiVersion: v1\nkind: Secret\n", []string{"/v1, Kind=Secret"}},
	} {
		t.Run(name, func(t *testing.T) {
			kinds, err := kindsOf(c.manifest)
			must(t, err)
			var got []string
			for _, kind := range kinds {
				got = append(got, kind.String())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
	if _, err := kindsOf("a: [\n"); err == nil {
		t.Error("what is no YAML was read")
	}
}

// A request to the API server for each.
func TestStoresOfTheCatalogHaveFewKinds(t *testing.T) {
	for _, name := range catalog.Deployable() {
		entry, _ := catalog.Find(name)
		release, err := (&Reconciler{}).catalogRelease(given().Run, &plan.Plan{Run: plan.Run{ID: "run-1"}, Store: plan.Store{Chart: entry.Chart, Values: json.RawMessage(`{}`)}})
		must(t, err)
		manifest, err := helm.Render(release)
		must(t, err)
		kinds, err := kindsOf(manifest)
		must(t, err)
		if len(kinds) < 4 || len(kinds) > 8 {
			t.Errorf("%s has %v", name, kinds)
		}
	}
}
