package catalog

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestEveryStoreIsFoundByItsName(t *testing.T) {
	for _, name := range Names() {
		entry, ok := Find(name)
		if !ok || entry.Name != name {
			t.Fatalf("%s: found %v, %v", name, entry, ok)
		}
		if _, ok := entry.FindMode(""); !ok {
			t.Errorf("%s: its default mode %q is not among its modes", name, entry.DefaultMode)
		}
		if entry.Open == nil || entry.Prefix == "" {
			t.Errorf("%s: lacks a driver, or a prefix of its properties", name)
		}
		if !slices.Contains(Deployable(), name) {
			continue
		}
		if entry.Observe == nil {
			t.Errorf("%s: lacks an observer", name)
		}
		for i := range entry.Modes {
			mode := &entry.Modes[i]
			if len(mode.Nodes) == 0 || mode.Nodes[0] < 1 || !slices.IsSorted(mode.Nodes) {
				t.Errorf("%s, mode %s: %v nodes", name, mode.Name, mode.Nodes)
			}
			if mode.Container == "" || mode.Promise == "" {
				t.Errorf("%s, mode %s: lacks its container or its promise", name, mode.Name)
			}
		}
	}
	if names := Names(); len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(names) {
		t.Errorf("a name is there twice: %v", names)
	}
}

func TestAStoreThatSharesConnectionsHasADriverThatDoes(t *testing.T) {
	for _, name := range Names() {
		entry, _ := Find(name)
		if !entry.SharesConnections {
			continue
		}
		driver, err := entry.Open(stores.Config{Addresses: []string{"127.0.0.1:1"}, Names: []string{"a"}, Connections: 1})
		if err != nil {
			t.Fatal(err)
		}
		sharer, shares := driver.(stores.Sharer)
		if _, connects := driver.(stores.Connector); !shares || !connects || sharer.Places() == 0 {
			t.Errorf("%s: its driver is a sharer: %v, a connector: %v", name, shares, connects)
		}
		if err := driver.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestNamesThatAStoreCanNotHave(t *testing.T) {
	fields := []string{"field0", "field1"}
	for _, name := range Names() {
		entry, _ := Find(name)
		for _, mode := range entry.Modes {
			if mode.CheckNames == nil {
				continue
			}
			if err := mode.CheckNames("usertable", fields); err != nil {
				t.Errorf("%s, mode %s: %v", name, mode.Name, err)
			}
		}
	}
	for _, c := range []struct {
		store, table string
		modes        int // that refuse it
	}{
		{"cassandra", "my-table", 3}, {"cassandra", strings.Repeat("t", 49), 3},
		{"postgresql", "my-table", 0}, {"postgresql", strings.Repeat("t", 64), 4},
	} {
		entry, _ := Find(c.store)
		refuse := 0
		for _, mode := range entry.Modes {
			if mode.CheckNames(c.table, fields) != nil {
				refuse++
			}
		}
		if refuse != c.modes {
			t.Errorf("%d modes of %s refuse the table %q", refuse, c.store, c.table)
		}
	}
}

func TestAnUnknownStoreIsNotFound(t *testing.T) {
	if _, ok := Find("no-such-store"); ok {
		t.Fatal("found")
	}
}

func TestAStoreWithoutAChartIsNotDeployable(t *testing.T) {
	if entry, ok := Find("basic"); !ok || entry.Chart != "" || slices.Contains(Deployable(), "basic") {
		t.Fatalf("basic is among %v", Deployable())
	}
	if !slices.Contains(Deployable(), "etcd") {
		t.Fatalf("etcd is not among %v", Deployable())
	}
}

// A run's values may set what its mode doesn't: they must not make it another mode.
func TestWhatOneModeSetsAllModesOfTheStoreSet(t *testing.T) {
	for _, name := range Deployable() {
		entry, _ := Find(name)
		want := paths(entry.Modes[0].Values, "")
		for i := range entry.Modes {
			if got := paths(entry.Modes[i].Values, ""); !slices.Equal(got, want) {
				t.Errorf("%s: mode %s sets %v, and mode %s sets %v", name, entry.Modes[i].Name, got, entry.Modes[0].Name, want)
			}
		}
	}
}

// paths are those of what isn't a map itself.
func paths(values map[string]any, before string) (found []string) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if inner, ok := values[key].(map[string]any); ok {
			found = append(found, paths(inner, before+key+".")...)
			continue
		}
		found = append(found, before+key)
	}
	return found
}
