package catalog

import (
	"maps"
	"slices"
	"testing"
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
