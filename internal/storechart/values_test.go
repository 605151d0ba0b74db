package storechart

import (
	"encoding/json"
	"testing"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

func TestAPlanHasTheValuesThatItsStoreIsDeployedWith(t *testing.T) {
	for _, c := range []struct {
		chart, values string
		path          []string
		want          any
	}{
		{"hazelcast", `{}`, []string{"settings", "backup-count"}, 1.0},
		{"hazelcast", `{"settings":{"backup-count":6}}`, []string{"settings", "backup-count"}, 6.0},
		{"hazelcast", `{"settings":{"backup-count":6}}`, []string{"settings", "heap"}, "256m"},
		{"cassandra", `{"nodes":5}`, []string{"settings", "commitlog_sync"}, "batch"},
		{"cassandra", `{"nodes":5}`, []string{"nodes"}, 5.0},
		{"cassandra", `{}`, []string{"settings", "heap"}, "256m"}, // from which its driver knows how large a record may be
		{"redis", `{"image":{"repository":"docker.io/valkey/valkey","tag":"8.0.1"}}`, []string{"image", "repository"}, "docker.io/valkey/valkey"},
		{"redis", `{"settings":{"appendfsync":null}}`, []string{"settings", "appendfsync"}, nil},
		{"etcd", `{}`, []string{"rejoin"}, nil}, // kvbench's own image, or none
	} {
		p := &plan.Plan{Store: plan.Store{Chart: c.chart, Values: json.RawMessage(c.values), Rejoins: true}}
		encoded, err := EffectiveValues(p)
		must(t, err)
		var value any
		must(t, json.Unmarshal(encoded, &value))
		for _, name := range c.path {
			value = value.(map[string]any)[name]
		}
		if value != c.want {
			t.Errorf("%s with %s: %v is %v, want %v", c.chart, c.values, c.path, value, c.want)
		}
		if string(p.Store.Values) != c.values {
			t.Errorf("%s: what is installed became %s", c.chart, p.Store.Values)
		}
	}
	own := &plan.Plan{Store: plan.Store{OwnChart: &plan.OwnChart{Name: "theirs"}, Values: json.RawMessage(`{"nodes":3}`)}}
	if encoded, err := EffectiveValues(own); err != nil || encoded != nil {
		t.Errorf("of a chart that a run brought: %s, %v", encoded, err)
	}
}

// A report shows the image and the settings of every store of the catalog.
func TestEveryStoresValuesNameItsImageAndItsSettings(t *testing.T) {
	for _, name := range catalog.Deployable() {
		entry, _ := catalog.Find(name)
		values, err := json.Marshal(entry.Values)
		must(t, err)
		encoded, err := EffectiveValues(&plan.Plan{Store: plan.Store{Chart: entry.Chart, Values: values}})
		must(t, err)
		var has struct {
			Image    struct{ Repository string }
			Settings map[string]any
		}
		must(t, json.Unmarshal(encoded, &has))
		if has.Image.Repository == "" || len(has.Settings) == 0 {
			t.Errorf("%s: %s", name, encoded)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
