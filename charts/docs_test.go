package charts

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/helm"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

func TestEachStoresPageBeginsWithAnExampleThatRenders(t *testing.T) {
	for _, name := range catalog.Deployable() {
		t.Run(name, func(t *testing.T) {
			store := exampleOf(t, name)
			entry, _ := catalog.Find(name)
			mode, known := entry.FindMode(store.Mode)
			if !known {
				t.Fatalf("there is no mode %q", store.Mode)
			}
			if store.Name != name || !mode.CanHave(int(store.Nodes)) {
				t.Errorf("the example is of %s with %d members", store.Name, store.Nodes)
			}
			values := map[string]any{"nodes": store.Nodes}
			if err := json.Unmarshal(store.Values.Raw, &values); err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(values)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := helm.Render(releaseOf(t, entry.Chart, string(text))); err != nil {
				t.Error(err)
			}
		})
	}
}

// exampleOf is the first YAML of a store's page.
func exampleOf(t *testing.T, name string) v1alpha1.StoreSpec {
	t.Helper()
	page, err := os.ReadFile("../docs/stores/" + name + ".md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```yaml\n")
	text, _, _ := strings.Cut(rest, "```")
	var example struct {
		Store v1alpha1.StoreSpec `json:"store"`
	}
	if err := yaml.UnmarshalStrict([]byte(text), &example); err != nil {
		t.Fatal(err)
	}
	return example.Store
}
