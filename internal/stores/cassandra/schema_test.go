package cassandra

import (
	"slices"
	"strings"
	"testing"
)

func TestATableHasTheSameIDWhoeverMakesIt(t *testing.T) {
	id := tableID("ycsb", "usertable")
	if id != tableID("ycsb", "usertable") || id == tableID("ycsb", "other") || id == tableID("other", "usertable") {
		t.Error("ids of tables come from their names")
	}
	if id.Version() != 5 || id[8]>>6 != 2 {
		t.Errorf("%v is no UUID of version 5", id)
	}
	all := strings.Join(changes("ycsb", "usertable", 3, []string{"field0"}, false), "\n")
	for _, want := range []string{
		`CREATE KEYSPACE IF NOT EXISTS "ycsb"`, `'replication_factor': 3`,
		`CREATE TABLE IF NOT EXISTS "ycsb"."usertable" (y_id blob PRIMARY KEY, "field0" blob) WITH id = ` + id.String(),
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is not in:\n%s", want, all)
		}
	}
}

func TestColumnsAreAddedThatAreMissing(t *testing.T) {
	absent := missing([]string{"y_id", "a", "c"}, []string{"a", "b", "c", "d"})
	if !slices.Equal(absent, []string{"b", "d"}) {
		t.Errorf("%v", absent)
	}
	got := changes("ycsb", "t", 3, absent, true)
	if want := `ALTER TABLE "ycsb"."t" ADD IF NOT EXISTS ("b" blob, "d" blob)`; len(got) != 1 || got[0] != want {
		t.Errorf("%v", got)
	}
}
