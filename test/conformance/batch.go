package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// Batches shows, in every mode that the store has members for, that a session inserts as many records at once as it says, and
// what it says of a batch that it didn't insert.
func Batches(t *testing.T, target Target) {
	for i := range target.Entry.Modes {
		mode := &target.Entry.Modes[i]
		if !mode.CanHave(len(target.Config.Addresses)) {
			continue
		}
		t.Run(mode.Name, func(t *testing.T) {
			config := target.Config
			config.Mode = mode.Name
			driver, err := target.Entry.Open(config)
			if err != nil {
				t.Fatal(err)
			}
			defer driver.Close()
			b := &bench{entry: target.Entry, mode: mode, driver: driver, fresh: mode.Promise.ReadsAreFresh()}
			session := b.session(t)
			batcher, ok := session.(stores.Batcher)
			if !ok {
				t.Fatal("the session is no Batcher")
			}
			records, size := batcher.MaxBatch()
			for name, count := range map[string]int{"one": 1, "as many as it can": records} {
				t.Run(name, func(t *testing.T) { insertsAll(t, b, session, batcher, count, 10) })
			}
			t.Run("as many bytes as it can", func(t *testing.T) { insertsAll(t, b, session, batcher, 4, size/4-100) })
			t.Run("none after its deadline", func(t *testing.T) { insertsNone(t, b, session, batcher) })
		})
	}
}

func batchOf(table string, count, bytesEach int, deadline time.Time) []stores.Op {
	ops := make([]stores.Op, count)
	for i := range ops {
		key := fmt.Sprintf("user%04d", i)
		value := bytes.Repeat([]byte{'v'}, bytesEach)
		ops[i] = stores.Op{Kind: stores.Insert, Table: table, Key: []byte(key), Deadline: deadline,
			Values: []stores.Field{{Name: "field0", Value: []byte(key)}, {Name: "field1", Value: value}}}
	}
	return ops
}

func insertsAll(t *testing.T, b *bench, session stores.Session, batcher stores.Batcher, count, bytesEach int) {
	table := b.table()
	ops := batchOf(table, count, bytesEach, time.Now().Add(opTimeout))
	if err := batcher.InsertAll(ops); err != nil {
		t.Fatal(err)
	}
	for i := range ops {
		b.expect(t, session, table, ops[i].Key, ops[i].Values)
	}
}

func insertsNone(t *testing.T, b *bench, session stores.Session, batcher stores.Batcher) {
	table := b.table()
	err := batcher.InsertAll(batchOf(table, 3, 10, time.Now().Add(-time.Second)))
	var failure *stores.Error
	if !errors.As(err, &failure) || failure.Outcome != stores.Failed {
		t.Fatalf("%v, want one that failed for certain", err)
	}
	if got := code(t, session, stores.Op{Kind: stores.Read, Table: table, Key: []byte("user0000")}); got != stores.CodeNotFound {
		t.Errorf("a record of it: %s", got)
	}
}
