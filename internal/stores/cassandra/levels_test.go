package cassandra

import (
	"testing"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestReadsAndWritesMayHaveLevelsOfTheirOwn(t *testing.T) {
	for _, c := range []struct {
		mode        string
		read, write gocql.Consistency
		promise     stores.Promise
		fewest      int
	}{
		{"read-one-write-all", gocql.One, gocql.All, stores.PromiseDurable, 1},
		{"read-all-write-one", gocql.All, gocql.One, stores.PromiseEventual, 1}, // one replica's end loses it
		{"read-one-write-two", gocql.One, gocql.Two, stores.PromiseEventual, 2}, // a read may ask the third
		{"read-two-write-two", gocql.Two, gocql.Two, stores.PromiseDurable, 2},  // as quorum
		{"read-three-write-one", gocql.Three, gocql.One, stores.PromiseEventual, 3},
		{"read-quorum-write-three", gocql.Quorum, gocql.Three, stores.PromiseDurable, 3},
	} {
		found, ok := Entry().FindMode(c.mode)
		if !ok || found.Name != c.mode || found.Promise != c.promise || found.Nodes[0] != c.fewest || found.Nodes[len(found.Nodes)-1] != 9 {
			t.Errorf("%s: %+v", c.mode, found)
			continue
		}
		got, err := settingsOf(stores.Config{Mode: c.mode, Addresses: make([]string, 3)})
		if err != nil {
			t.Fatal(err)
		}
		if own := got.cluster.Consistency; own == gocql.Two || own == gocql.Three {
			t.Errorf("%s: a member is asked for its own tables at %v", c.mode, own)
		}
		for kind, want := range map[stores.Kind]gocql.Consistency{
			stores.Read: c.read, stores.Scan: c.read, stores.Insert: c.write, stores.Update: c.write, stores.Delete: c.write,
		} {
			if level := got.levels.of(kind); level != want {
				t.Errorf("%s: %v at %v, want %v", c.mode, kind, level, want)
			}
		}
	}
	for mode, want := range map[string]stores.Promise{
		"read-one-write-all": "", "read-quorum-write-quorum": "", "read-all-write-quorum": "",
		"read-two-write-two": stores.PromiseEventual, "read-one-write-three": stores.PromiseEventual, "read-all-write-two": stores.PromiseEventual,
	} {
		if found, _ := Entry().FindMode(mode); found.PromiseElsewhere != want {
			t.Errorf("%s of a keyspace of others: %q", mode, found.PromiseElsewhere)
		}
	}
	for _, none := range []string{"two", "read-one", "read-one-write-", "read-one-write-four", "-write-one", "read-ONE-write-ONE", "one-write-one"} {
		if found, ok := Entry().FindMode(none); ok {
			t.Errorf("%s is %+v", none, found)
		}
	}
}

// With commitlog_sync: periodic no level keeps what was acknowledged.
func TestLevelsOfTheirOwnPromiseLessWithAnUnsafeLog(t *testing.T) {
	found, _ := Entry().FindMode("read-one-write-all")
	if promise := found.PromiseWith(map[string]any{"settings": map[string]any{"commitlog_sync": "periodic"}}); promise != stores.PromiseEventual {
		t.Errorf("%s", promise)
	}
}
