package cassandra

import (
	"context"
	"testing"
)

// A look for a table is a request of its own, within an operation's latency.
func TestATableThatWasThereIsNotLookedForAgain(t *testing.T) {
	tables, looks := newTables(nil), 0
	there := []string{}
	tables.look = func(context.Context, string, string) ([]string, error) {
		looks++
		return there, nil
	}
	expect := func(what, table string, want bool, all int) {
		t.Helper()
		if got, err := tables.has(t.Context(), table); got != want || err != nil || looks != all {
			t.Errorf("%s: %v, %v after %d looks; want %v after %d", what, got, err, looks, want, all)
		}
	}
	expect("before it is made", "read", false, 1)
	expect("and again", "read", false, 2)
	there = []string{keyColumn, "field0"}
	expect("when others have made it", "read", true, 3)
	expect("from then on", "read", true, 3)
	tables.known["written"] = there
	expect("one that it made itself", "written", true, 3)
}
