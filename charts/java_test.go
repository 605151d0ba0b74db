package charts

import (
	"slices"
	"testing"
)

// storesOfJava are those whose members are Java processes.
var storesOfJava = []string{"cassandra", "hazelcast", "ignite"}

func TestJavaTakesItsSettings(t *testing.T) {
	const quick = "-XX:TieredStopAtLevel=1"
	for _, store := range storesOfJava {
		for values, want := range map[string]struct{ with, without []string }{
			``:                           {[]string{"-Xms256m", "-Xmx256m"}, []string{quick}},
			`{"settings":{"heap":"2g"}}`: {[]string{"-Xms2g", "-Xmx2g"}, []string{"-Xmx256m", quick}},
			`{"settings":{"compilation":"quick-only"}}`: {[]string{"-Xmx256m", quick}, nil},
			`{"settings":{"compilation":"default"}}`:    {nil, []string{quick}},
			`{"settings":{"compilation":null}}`:         {nil, []string{quick}},
			`{"settings":null}`:                         {nil, []string{quick}},
		} {
			_, container := memberIn(t, releaseOf(t, store, values))
			for _, option := range want.with {
				if !slices.Contains(container.Args, option) {
					t.Errorf("%s with %s has no %s: %v", store, values, option, container.Args)
				}
			}
			for _, option := range want.without {
				if slices.Contains(container.Args, option) {
					t.Errorf("%s with %s has %s", store, values, option)
				}
			}
		}
	}
}
