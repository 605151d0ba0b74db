package values

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
)

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
		store := report.Store{Values: Decode(json.RawMessage(c.values))}
		if c.own {
			store.OwnChart = &report.OwnChart{}
		}
		if got := Settings(&store); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	many := report.Store{Values: map[string]any{}}
	for i := range maxSettings + 3 {
		many.Values[fmt.Sprintf("s%03d", i)] = i
	}
	if got := Settings(&many); len(got) != maxSettings+1 || got[maxSettings-1] != "s063=63" || got[maxSettings] != "and 3 more" {
		t.Errorf("%q", got)
	}
}

// Values come with a plan, from anywhere.
func FuzzValues(f *testing.F) {
	f.Add([]byte(`{"image":{"repository":"a/b","tag":"1"},"settings":{"sync":"batch","most":1e9,"on":null},"list":[{"a":[]}],"":{}}`))
	f.Add([]byte(bundletest.NestedValues(MaxDepth)))
	f.Add([]byte(bundletest.NestedValues(MaxDepth + 1)))
	f.Add([]byte(`{"image":"x","settings":[],"a|b":"<\u0000\n|` + "`" + `"}`))
	f.Fuzz(func(t *testing.T, encoded []byte) {
		if !json.Valid(encoded) || Check(encoded) != nil {
			return // what is in a plan is valid
		}
		store := report.Store{Values: Decode(encoded)}
		if deep := depthOf(store.Values); deep > MaxDepth {
			t.Errorf("%d deep: %q", deep, encoded)
		}
		if len(Repository(&store)) > maxRepositoryBytes {
			t.Errorf("a long image in %q", encoded)
		}
		for _, own := range []*report.OwnChart{nil, {}} {
			store.OwnChart = own
			settings := Settings(&store)
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
