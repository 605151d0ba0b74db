package compute

import (
	"encoding/json"
	"testing"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/bundletest"
)

func TestAReportHasTheValuesThatItsStoreWasDeployedWith(t *testing.T) {
	const run, all = `{"settings":{"backup-count":6}}`, `{"image":{"repository":"docker.io/hazelcast/hazelcast"},"settings":{"backup-count":6,"heap":"256m"}}`
	for name, c := range map[string]struct {
		store plan.Store
		want  string
	}{
		"of the catalog":       {plan.Store{Chart: "hazelcast", Values: json.RawMessage(run), EffectiveValues: json.RawMessage(all)}, all},
		"of an older plan":     {plan.Store{Chart: "hazelcast", Values: json.RawMessage(run)}, `null`},
		"a chart that it has":  {plan.Store{OwnChart: &plan.OwnChart{Name: "theirs"}, Values: json.RawMessage(run)}, run},
		"that ran before":      {plan.Store{Existing: true}, `null`},
		"numbers stay numbers": {plan.Store{Chart: "etcd", EffectiveValues: json.RawMessage(`{"quota":9007199254740993,"share":0.10}`)}, `{"quota":9007199254740993,"share":0.10}`},
	} {
		if got := string(bundletest.Line(reportStore(&c.store).Values)); got != c.want+"\n" {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
