package stores

import "testing"

func TestOnlyAScanHasManyRecords(t *testing.T) {
	for kind, want := range map[Kind]int{Read: 1, Update: 1, Insert: 1, Delete: 1, Scan: 7} {
		op := Op{Kind: kind, Count: 7}
		if got := op.MaxRecords(); got != want {
			t.Errorf("%v: %d, want %d", kind, got, want)
		}
	}
}
