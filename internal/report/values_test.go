package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/plan"
)

// nestedValues are objects and lists by turns, of that depth, and text that looks like more of them.
func nestedValues(depth int) json.RawMessage {
	text := `"\"[[["`
	for i := range depth {
		if (depth-i)%2 == 1 {
			text = `{"a":` + text + `}`
		} else {
			text = `[` + text + `]`
		}
	}
	return json.RawMessage(text)
}

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
		if got := string(line(reportStore(&c.store).Values)); got != c.want+"\n" {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestSettingsAreShownToPeople(t *testing.T) {
	for name, c := range map[string]struct {
		values string
		own    bool
		want   []string
	}{
		"none": {`{}`, false, nil},
		"of the catalog: its settings first, and nothing that is beside them": {
			`{"cluster":{"enabled":false},"image":{"repository":"r","tag":"1"},"networkPolicy":{"enabled":true},"nodes":3,` +
				`"security":{"level":"None"},"settings":{"fsync":"always","most":16384},"storage":{"className":"","size":"1Gi"}}`, false,
			[]string{"fsync=always", "most=16384", "cluster.enabled=false", `storage.className=""`, "storage.size=1Gi"},
		},
		"of a chart of the run: all": {
			`{"image":{"tag":"1"},"list":[1,{"a":null}],"none":{},"settings":{"fsync":true}}`, true,
			[]string{"image.tag=1", `list=[1,{"a":null}]`, "none={}", "settings.fsync=true"},
		},
		"a file": {`{"settings":{"config":"a: 1\n  b: 2\n"}}`, false, []string{"config=a: 1 b: 2"}},
		"long ones": {
			fmt.Sprintf(`{"settings":{"a":%q}}`, strings.Repeat("x", 101)), false, []string{"a=" + strings.Repeat("x", 100) + "…"},
		},
	} {
		store := Store{Values: decodeValues(json.RawMessage(c.values))}
		if c.own {
			store.OwnChart = &OwnChart{}
		}
		if got := store.settings(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	many := Store{Values: map[string]any{}}
	for i := range maxSettings + 3 {
		many.Values[fmt.Sprintf("s%03d", i)] = i
	}
	if got := many.settings(); len(got) != maxSettings+1 || got[maxSettings-1] != "s063=63" || got[maxSettings] != "and 3 more" {
		t.Errorf("%q", got)
	}
}

// What is called redis 8.0.1 may be another program of that version.
func TestTheImageOfAStoreIsShown(t *testing.T) {
	s := newSituation()
	s.plan.Store.Name, s.plan.Store.Version = "redis", "8.0.1"
	s.plan.Store.EffectiveValues = json.RawMessage(`{"image":{"repository":"docker.io/valkey/valkey","tag":"8.0.1"},"settings":{"appendfsync":"everysec"}}`)
	r := reportOf(t, s.build(t))
	for _, text := range []string{r.Table(), string(r.Markdown())} {
		if want := "redis 8.0.1 of docker.io/valkey/valkey, 3 members"; !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if text := string(r.Markdown()); !strings.Contains(text, "\nSettings: appendfsync=everysec.\n") {
		t.Errorf("the settings are missing in\n%s", text)
	}
	if data, err := r.JSON(); err != nil || !strings.Contains(string(data), `"repository": "docker.io/valkey/valkey"`) {
		t.Errorf("%v: the image is missing in the report", err)
	}
}

// Values come with a plan, from anywhere.
func FuzzValues(f *testing.F) {
	f.Add([]byte(`{"image":{"repository":"a/b","tag":"1"},"settings":{"sync":"batch","most":1e9,"on":null},"list":[{"a":[]}],"":{}}`))
	f.Add([]byte(nestedValues(maxValuesDepth)))
	f.Add([]byte(nestedValues(maxValuesDepth + 1)))
	f.Add([]byte(`{"image":"x","settings":[],"a|b":"<\u0000\n|` + "`" + `"}`))
	f.Fuzz(func(t *testing.T, encoded []byte) {
		if !json.Valid(encoded) || checkValues(encoded) != nil {
			return // what is in a plan is valid
		}
		store := Store{Values: decodeValues(encoded)}
		if deep := depthOf(store.Values); deep > maxValuesDepth {
			t.Errorf("%d deep: %q", deep, encoded)
		}
		if len(store.repository()) > maxName {
			t.Errorf("a long image in %q", encoded)
		}
		for _, own := range []*OwnChart{nil, {}} {
			store.OwnChart = own
			settings := store.settings()
			if len(settings) > maxSettings+1 {
				t.Errorf("%d settings in %q", len(settings), encoded)
			}
			for _, one := range settings {
				if len(one) > 2*(maxSettingText+len("…"))+1 || strings.Contains(one, "\n") {
					t.Errorf("a setting %q", one)
				}
			}
		}
	})
}

func depthOf(value any) int {
	deepest := 0
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			deepest = max(deepest, depthOf(inner))
		}
	case []any:
		for _, inner := range v {
			deepest = max(deepest, depthOf(inner))
		}
	default:
		return 0
	}
	return deepest + 1
}
