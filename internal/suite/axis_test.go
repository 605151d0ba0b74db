package suite

import (
	"slices"
	"testing"
)

func TestAnAxisTellsWhatItChanges(t *testing.T) {
	axes := Axes(specOf(t, template+`
axes:
- {name: rate, path: /load/rate, values: [1]}
- name: store
  cases:
  - {name: one}
  - {name: two, patch: {store: {}, load: {}}}
  - {name: three, patch: {store: {name: redis, values: {a/b: 1}}, workloads: [], load: {rate: null}}}
- {name: same, cases: [{name: a}, {name: b}]}
`))
	for i, want := range [][]string{{"/load/rate"}, {"/load/rate", "/store/name", "/store/values/a~1b", "/workloads"}, {}} {
		if got := axes[i].Fields; got == nil || !slices.Equal(got, want) {
			t.Errorf("axis %s: %q, want %q", axes[i].Name, got, want)
		}
	}
}
