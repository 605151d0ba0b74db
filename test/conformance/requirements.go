package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

func readsWhatWasInserted(t *testing.T, b *bench) {
	table, session := b.table(), b.session(t)
	do(t, session, stores.Op{Kind: stores.Insert, Table: table, Key: []byte("user1"), Values: record("a")})
	b.expect(t, session, table, []byte("user1"), record("a"))
	// Again, as a load that is retried does.
	do(t, session, stores.Op{Kind: stores.Insert, Table: table, Key: []byte("user1"), Values: record("b")})
	b.expect(t, session, table, []byte("user1"), record("b"))
}

func readsSomeFields(t *testing.T, b *bench) {
	table, session := b.table(), b.session(t)
	do(t, session, stores.Op{Kind: stores.Insert, Table: table, Key: []byte("user1"), Values: record("a")})
	b.expectOf(t, session, table, []byte("user1"), []string{"field1"}, record("a")[1:])
}

func updates(t *testing.T, b *bench) {
	table, session := b.table(), b.session(t)
	do(t, session, stores.Op{Kind: stores.Insert, Table: table, Key: []byte("user1"), Values: record("a")})
	if b.mode.WholeRecord {
		do(t, session, stores.Op{Kind: stores.Update, Table: table, Key: []byte("user1"), Values: record("b")})
		b.expect(t, session, table, []byte("user1"), record("b"))
		return
	}
	do(t, session, stores.Op{Kind: stores.Update, Table: table, Key: []byte("user1"), Values: record("b")[:1]})
	b.expect(t, session, table, []byte("user1"), []stores.Field{record("b")[0], record("a")[1]})
}

func survivesBinary(t *testing.T, b *bench) {
	table, session := b.table(), b.session(t)
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	want := []stores.Field{{Name: "field0", Value: every}, {Name: "field1", Value: []byte{}}}
	// Keys of 64 bytes: some stores bound them.
	for key := range slices.Chunk(every, 64) {
		do(t, session, stores.Op{Kind: stores.Insert, Table: table, Key: key, Values: want})
		b.expect(t, session, table, key, want)
	}
}

func takesLongKeys(t *testing.T, b *bench) {
	table, session := b.table(), b.session(t)
	one, other := []byte(strings.Repeat("k", 199)+"a"), []byte(strings.Repeat("k", 199)+"b")
	do(t, session, stores.Op{Kind: stores.Insert, Table: table, Key: one, Values: record("one")})
	do(t, session, stores.Op{Kind: stores.Insert, Table: table, Key: other, Values: record("other")})
	b.expect(t, session, table, one, record("one"))
	b.expect(t, session, table, other, record("other"))
}

func missesRecords(t *testing.T, b *bench) {
	table, session := b.table(), b.session(t)
	kinds := []stores.Kind{stores.Read, stores.Delete}
	if b.mode.BlindDeletes {
		kinds = kinds[:1]
	}
	for _, records := range []string{"none", "one"} {
		for _, kind := range kinds {
			if got := code(t, session, stores.Op{Kind: kind, Table: table, Key: []byte("nobody")}); got != "NOT_FOUND" {
				t.Errorf("%v, where there is %s: code %s", kind, records, got)
			}
		}
		fill(t, session, table, 1)
	}
}

func deletes(t *testing.T, b *bench) {
	table, session := b.table(), b.session(t)
	for _, key := range []string{"user1", "user10"} {
		do(t, session, stores.Op{Kind: stores.Insert, Table: table, Key: []byte(key), Values: record(key)})
	}
	do(t, session, stores.Op{Kind: stores.Delete, Table: table, Key: []byte("user1")})
	b.expectGone(t, session, table, "user1")
	b.expect(t, session, table, []byte("user10"), record("user10"))
}

// expectGone reads the record until it isn't there.
func (b *bench) expectGone(t *testing.T, session stores.Session, table, key string) {
	t.Helper()
	b.eventually(t, "what is gone", func() (bool, string) {
		return !there(t, session, table, key), fmt.Sprintf("%s/%q is there", table, key)
	})
}

func notThere(err error) bool {
	var failure *stores.Error
	return errors.As(err, &failure) && failure.Code == stores.CodeNotFound
}

// fill inserts records whose field0 is their key.
func fill(t *testing.T, session stores.Session, table string, n int) {
	t.Helper()
	for i := range n {
		key := fmt.Sprintf("user%04d", i)
		do(t, session, stores.Op{Kind: stores.Insert, Table: table, Key: []byte(key),
			Values: []stores.Field{{Name: "field0", Value: []byte(key)}}})
	}
}

func resets(t *testing.T, b *bench) {
	table, session := b.table(), b.session(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*opTimeout)
	defer cancel()
	if err := b.driver.Reset(ctx, table); err != nil {
		t.Fatalf("reset an empty table: %v", err)
	}
	fill(t, session, table, 1100) // more than a driver should delete at once
	ctx, cancel = context.WithTimeout(t.Context(), 3*opTimeout)
	defer cancel()
	if err := b.driver.Reset(ctx, table); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 1100; i += 7 {
		b.expectGone(t, session, table, fmt.Sprintf("user%04d", i))
	}
	// What is written next stays.
	fill(t, session, table, 3)
	b.expect(t, session, table, []byte("user0002"), []stores.Field{{Name: "field0", Value: []byte("user0002")}})
}

func resetsOneTable(t *testing.T, b *bench) {
	table, other, session := b.table(), b.table(), b.session(t)
	fill(t, session, table, 3)
	fill(t, session, other, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 3*opTimeout)
	defer cancel()
	if err := b.driver.Reset(ctx, table); err != nil {
		t.Fatal(err)
	}
	b.expectGone(t, session, table, "user0000")
	if b.mode.Scan != stores.ScanNone {
		b.eventually(t, "scan the emptied table", func() (bool, string) {
			// It may be the first scan of a store, of which one that runs on Java loads all that it needs for queries. On
			// two cores with four busy processes beside it that took 4.9 s.
			deadline := time.Now().Add(3 * opTimeout)
			op := do(t, session, stores.Op{Kind: stores.Scan, Table: table, Key: []byte("u"), Count: 1, Deadline: deadline})
			return len(op.Result) == 0, fmt.Sprintf("%v", op.Result)
		})
	}
	b.expect(t, session, other, []byte("user0000"), []stores.Field{{Name: "field0", Value: []byte("user0000")}})
}

func keepsDeadlines(t *testing.T, b *bench) {
	table, session := b.table(), b.session(t)
	for _, kind := range []stores.Kind{stores.Insert, stores.Update, stores.Read} {
		op := stores.Op{Kind: kind, Table: table, Key: []byte("late"), Values: record("a"), Deadline: time.Now().Add(-time.Millisecond)}
		err := session.Do(&op)
		var failure *stores.Error
		if !errors.As(err, &failure) || failure.Outcome != stores.Failed {
			t.Errorf("%v: %v, want a failure", kind, err)
		}
	}
	if got := code(t, session, stores.Op{Kind: stores.Read, Table: table, Key: []byte("late")}); got != "NOT_FOUND" {
		t.Errorf("the late write took effect: %s", got)
	}
}

func worksConcurrently(t *testing.T, b *bench) {
	const sessions, each = 16, 20
	table := b.table()
	errs := make(chan error, sessions)
	var all sync.WaitGroup
	for i := range sessions {
		session := b.session(t)
		all.Go(func() {
			for j := range each {
				key := fmt.Appendf(nil, "user%d-%d", i, j)
				op := stores.Op{Kind: stores.Insert, Table: table, Key: key, Values: record(string(key)), Deadline: time.Now().Add(opTimeout)}
				if err := session.Do(&op); err != nil {
					errs <- fmt.Errorf("insert %s: %w", key, err)
					return
				}
			}
		})
	}
	all.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
	session := b.session(t)
	for i := range sessions {
		key := fmt.Appendf(nil, "user%d-%d", i, each-1)
		b.expect(t, session, table, key, record(string(key)))
	}
}

// reusesResults hands the same Op in again and again, as a load generator does.
func reusesResults(t *testing.T, b *bench) {
	table, session := b.table(), b.session(t)
	fill(t, session, table, 3)
	op := stores.Op{Kind: stores.Read, Table: table, WantResult: true}
	for i := range 3 {
		op.Key = fmt.Appendf(op.Key[:0], "user%04d", i)
		b.eventually(t, fmt.Sprintf("read %s", op.Key), func() (bool, string) {
			found := isThere(t, session, &op)
			// A read may be too old to have the record, but never another record's.
			if found && (len(op.Result) != 1 || !bytes.Equal(op.Result[0].Value, op.Key)) {
				t.Fatalf("read %s: %v", op.Key, op.Result)
			}
			return found, "it isn't there"
		})
	}
}

// holdsTheLargest holds the catalog's bound of a record against the server, which has these settings of the
// chart, and returns the value of its one field.
func holdsTheLargest(t *testing.T, target Target, settings map[string]any, session stores.Session, key []byte) []byte {
	t.Helper()
	mode, _ := target.Entry.FindMode(target.Config.Mode)
	mode = mode.With(map[string]any{"settings": settings})
	names := []string{"field0"}
	overhead := stores.RecordBytes(names, mode.MaxRecordBytes) - mode.MaxRecordBytes
	value := bytes.Repeat([]byte("v"), int(mode.MaxRecordBytes-overhead))
	do(t, session, stores.Op{Kind: stores.Insert, Table: "large", Key: key, Values: []stores.Field{{Name: "field0", Value: value}}})
	op := do(t, session, stores.Op{Kind: stores.Read, Table: "large", Key: key})
	if len(op.Result) != 1 || !bytes.Equal(op.Result[0].Value, value) {
		t.Error("it came back as another one")
	}
	return value
}
