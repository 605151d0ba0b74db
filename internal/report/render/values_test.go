package render_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

// What is called redis 8.0.1 may be another program of that version.
func TestTheImageOfAStoreIsShown(t *testing.T) {
	s := reporttest.NewSituation()
	s.Plan.Store.Name, s.Plan.Store.Version = "redis", "8.0.1"
	s.Plan.Store.EffectiveValues = json.RawMessage(`{"image":{"repository":"docker.io/valkey/valkey","tag":"8.0.1"},"settings":{"appendfsync":"everysec"}}`)
	r := reporttest.Report(t, s.Build(t))
	for _, text := range []string{render.Table(r), string(render.Markdown(r))} {
		if want := "redis 8.0.1 of docker.io/valkey/valkey, 3 members"; !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if text := string(render.Markdown(r)); !strings.Contains(text, "\nSettings: appendfsync=everysec.\n") {
		t.Errorf("the settings are missing in\n%s", text)
	}
	if data, err := r.JSON(); err != nil || !strings.Contains(string(data), `"repository": "docker.io/valkey/valkey"`) {
		t.Errorf("%v: the image is missing in the report", err)
	}
}
