package properties

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/workload"
)

func given(pairs ...string) *Given {
	g := &Given{Values: map[string]string{}, Places: map[string]string{}}
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		g.Values[name], g.Places[name] = value, "file:"+string(rune('1'+i))
	}
	return g
}

func TestAPropertyGoesToWhoLooksAtIt(t *testing.T) {
	for _, c := range []struct {
		name, store   string
		given         *Given
		wantStore     map[string]string
		wantRest      map[string]string
		wantUnused    []string
		wantPlace     map[string]string
		wrongProperty string
	}{
		{name: "the store's own, without the prefix", store: "etcd", given: given("etcd.endpoints=a:1", "recordcount=5"),
			wantStore: map[string]string{"endpoints": "a:1"}, wantRest: map[string]string{"recordcount": "5"}},
		{name: "another tool's name, whose place stays known", store: "redis", given: given("redis.addr=a:1;b"),
			wantStore: map[string]string{"endpoints": "a:1,b:6379"}, wantPlace: map[string]string{"redis.endpoints": "file:1"}},
		{name: "another tool's value for the default", store: "etcd", given: given("etcd.serializable_reads=false")},
		{name: "another store's", store: "etcd", given: given("redis.mode=wait", "jdbc.url=x"), wantUnused: []string{"jdbc.*", "redis.*"}},
		{name: "an unknown one of the store", store: "etcd", given: given("etcd.endpoint=a:1", "recordcount=5"),
			wantRest: map[string]string{"recordcount": "5"}, wrongProperty: "etcd.endpoint"},
		{name: "one that is given under two names", store: "redis", given: given("redis.addr=a:1", "redis.endpoints=b:2"),
			wantStore: map[string]string{"endpoints": "b:2"}, wrongProperty: "redis.addr"},
	} {
		store, err := FindStore(c.store)
		if err != nil {
			t.Fatal(err)
		}
		before := maps.Clone(c.given.Values)
		split, err := c.given.For(store)
		if !maps.Equal(split.Store, c.wantStore) || !maps.Equal(split.Rest, c.wantRest) || !slices.Equal(slices.Sorted(maps.Keys(split.Unused)), c.wantUnused) {
			t.Errorf("%s: %+v", c.name, split)
		}
		for name, want := range c.wantPlace {
			if got := split.Places[name]; got != want {
				t.Errorf("%s: %s is at %q, want %q", c.name, name, got, want)
			}
		}
		var wrong *workload.PropertyError
		if errors.As(err, &wrong) != (c.wrongProperty != "") || wrong != nil && wrong.Name != c.wrongProperty {
			t.Errorf("%s: %v, want an error about %q", c.name, err, c.wrongProperty)
		}
		if !maps.Equal(c.given.Values, before) {
			t.Errorf("%s: what was given became %v", c.name, c.given.Values)
		}
	}
}

func TestAStoreIsFoundByItsNameHere(t *testing.T) {
	for name, want := range map[string]string{
		"etcd":    "",
		"etdc":    "did you mean etcd?",
		"PG":      "did you mean postgresql?",
		"mongodb": "use one of cassandra, ",
	} {
		store, err := FindStore(name)
		if want == "" && (err != nil || store.Name != name) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, %v, want %q", name, store, err, want)
		}
	}
}
