package cassandra

import "testing"

// A look for a table is a request of its own, within an operation's latency.
func TestATableThatWasThereIsNotLookedForAgain(t *testing.T) {
	tables := newTables(nil) // without a client nobody can be asked
	tables.known["written"], tables.seen["read"] = []string{keyColumn, "field0"}, true
	for _, name := range []string{"written", "read"} {
		if there, err := tables.has(t.Context(), name); !there || err != nil {
			t.Errorf("%s: %v, %v", name, there, err)
		}
	}
}
