package storechart

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/compile"
	"github.com/kvbench/kvbench/internal/plan"
)

func TestValuesThatAChartDoesNotTakeAreNamedByTheirPath(t *testing.T) {
	for name, c := range map[string]struct{ values, says string }{
		"one that is unknown":              {`{"nodes":3,"wort":1}`, "at spec.store.values: additional properties 'wort' not allowed"},
		"one of the wrong type":            {`{"nodes":3,"settings":{"heartbeat-interval":"soon"}}`, "at spec.store.values.settings.heartbeat-interval: "},
		"one that has a field of its own":  {`{"nodes":3,"image":{"tag":"no tag"}}`, "at spec.store.version: 'no tag' does not match"},
		"another, with a field below it":   {`{"nodes":3,"storage":{"size":"many"}}`, "at spec.store.storage.size: 'many' does not match"},
		"two of them":                      {`{"nodes":0,"settings":{"snapshot-count":0}}`, "; at spec.store."},
		"one whose name begins as another": {`{"nodes":3,"image":{"tagged":"x"}}`, "at spec.store.values.image: "},
	} {
		t.Run(name, func(t *testing.T) {
			p := &plan.Plan{Run: plan.Run{ID: "run-1"}, Store: plan.Store{Name: "etcd", Chart: "etcd", Values: json.RawMessage(c.values)}}
			var refusal *compile.Refusal
			if !errors.As(Check(p), &refusal) || refusal.Reason != "ChartDoesNotRender" {
				t.Fatalf("%v", refusal) // nil if it renders
			}
			if !strings.HasPrefix(refusal.Message, "store etcd: its chart doesn't render with spec.store.values: at spec.store.") ||
				!strings.Contains(refusal.Message, c.says) || !strings.HasSuffix(refusal.Message, "docs/stores/etcd.md has its settings") {
				t.Errorf("%q, want %q in it", refusal.Message, c.says)
			}
			if strings.Count(refusal.Message, "render") != 1 || strings.Contains(refusal.Message, "at '") || strings.Contains(refusal.Message, "- at") {
				t.Errorf("%q", refusal.Message)
			}
		})
	}
}
