package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/cassandra"
)

func TestCassandraAlone(t *testing.T) { testCassandra(t, 1) }

// TestCassandraOfOneInEveryMode shows the modes that TestCassandraAlone leaves out.
func TestCassandraOfOneInEveryMode(t *testing.T) {
	target, _ := startCassandra(t, 1, nil)
	Driver(t, target)
	Batches(t, target)
}

func TestCassandraOfThree(t *testing.T) { testCassandra(t, 3) }

// isBoundedByItsHeap shows that the bound of a record follows from the heap: a record is refused that a mutation may have.
func isBoundedByItsHeap(t *testing.T, target Target) {
	_, session := open(t, target)
	value := holdsTheLargest(t, target, map[string]any{"heap": "512m"}, session, []byte("large"))
	tooLarge := stores.Op{Kind: stores.Update, Table: "large", Key: []byte("large"), Values: []stores.Field{{Name: "field0", Value: append(value, value[:3<<20]...)}}}
	if got := code(t, session, tooLarge); got != stores.CodeTooLarge {
		t.Errorf("code %s", got)
	}
	do(t, session, stores.Op{Kind: stores.Insert, Table: "large", Key: []byte("small"), Values: record("small")})
}

func testCassandra(t *testing.T, members int) {
	target, cluster := startCassandra(t, members, nil)
	t.Run("tables that many make at once", func(t *testing.T) { makesTablesOnce(t, target, cluster) })
	every := target
	if members == 1 { // TestCassandraOfOneInEveryMode has the others
		every = withModes(target, cassandra.ModeQuorum)
	}
	t.Run("driver", func(t *testing.T) { Driver(t, every) })
	shared := Sharing(withModes(target, cassandra.ModeQuorum))
	t.Run("driver, shared connections", func(t *testing.T) { Driver(t, shared) })
	t.Run("batches", func(t *testing.T) { Batches(t, every) })
	t.Run("the largest record fits", func(t *testing.T) { isBoundedByItsHeap(t, target) })
	t.Run("observer and usage", func(t *testing.T) {
		tellsItsTables(t, target, func() { Observer(t, target, cluster) })
	})
	t.Run("recovery", func(t *testing.T) { Recovery(t, target, cluster) })
	t.Run("recovery, shared connections", func(t *testing.T) { Recovery(t, shared, cluster) })
	if members > 1 {
		// Those that read what was written, wherever the read goes.
		t.Run("levels apart", func(t *testing.T) {
			Driver(t, withDerived(t, target, "read-one-write-three", "read-two-write-two", "read-three-write-one"))
		})
		t.Run("a quorum goes on without a member", func(t *testing.T) { keepsAQuorum(t, target, &cluster.servers) })
	}
}

// withDerived is the target with modes that the catalog makes from their names.
func withDerived(t *testing.T, target Target, names ...string) Target {
	t.Helper()
	derived := *target.Entry
	derived.Modes = nil
	for _, name := range names {
		mode, known := target.Entry.FindMode(name)
		if !known {
			t.Fatalf("there is no mode %s", name)
		}
		derived.Modes = append(derived.Modes, *mode)
	}
	target.Entry = &derived
	return target
}

// makesTablesOnce has drivers make a keyspace at the same moment, and tables, each with other
// fields. Two tables of one name, with two ids, leave two folders.
func makesTablesOnce(t *testing.T, target Target, cluster *cassandraServers) {
	target.Config.Properties = map[string]string{"keyspace": "at_once"}
	const drivers, tables = 6, 4
	var sessions []stores.Session
	var opened []stores.Driver
	for range drivers {
		driver, session := open(t, target)
		opened, sessions = append(opened, driver), append(sessions, session)
	}
	ctx, cancel := context.WithTimeout(t.Context(), settleTimeout)
	defer cancel()
	together(t, drivers, func(i int) error { return opened[i].Ping(ctx) })
	fields := func(i int) []stores.Field {
		return []stores.Field{{Name: "field0", Value: []byte("v")}, {Name: fmt.Sprint("own", i%3), Value: []byte("w")}}
	}
	for n := range tables {
		together(t, drivers, func(i int) error {
			return sessions[i].Do(&stores.Op{Kind: stores.Insert, Table: fmt.Sprint("t", n), Key: fmt.Append(nil, i),
				Deadline: time.Now().Add(settleTimeout), Values: fields(i)})
		})
	}
	_, session := open(t, inMode(target, cassandra.ModeAll))
	for n := range tables {
		for i := range drivers {
			op := do(t, session, stores.Op{Kind: stores.Read, Table: fmt.Sprint("t", n), Key: fmt.Append(nil, i)})
			if !sameFields(op.Result, fields(i)) {
				t.Errorf("record %d of table %d: %v", i, n, op.Result)
			}
		}
		for i, folder := range cluster.folders {
			made, err := filepath.Glob(filepath.Join(folder, "at_once", fmt.Sprintf("t%d-*", n)))
			if err != nil || len(made) != 1 {
				t.Errorf("table %d of %s: %v, %v", n, target.Config.Names[i], made, err)
			}
		}
	}
}

// together does so many things at once.
func together(t *testing.T, count int, do func(i int) error) {
	t.Helper()
	errs := make([]error, count)
	var all sync.WaitGroup
	for i := range count {
		all.Go(func() { errs[i] = do(i) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// tellsItsTables shows that each member knows what its tables take on the disk, and how long its
// collector stopped it. What was written comes to the disk when the last one is started again, which
// is another process then.
func tellsItsTables(t *testing.T, target Target, restartsLast func()) {
	observer := observe(t, target)
	defer observer.Close()
	settle(t, observer, "all healthy", allHealthy)
	look := func() (last stores.Usage) {
		used := observer.(stores.Meter).Usage(t.Context(), opTimeout)
		for i, name := range target.Config.Names {
			if len(used) <= i || used[i].Member != name || used[i].DataBytes == nil || used[i].Process == 0 {
				t.Fatalf("%+v", used)
			}
		}
		return used[len(used)-1]
	}
	before := look()
	_, session := open(t, inMode(target, cassandra.ModeAll))
	value := make([]byte, 4<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(value) // what compresses would take less
	var told []int64                               // µs of the collector
	for until := time.Now().Add(settleTimeout); len(told) < 2 || told[len(told)-1] == told[0]; {
		do(t, session, stores.Op{Kind: stores.Insert, Table: "usage", Key: []byte("k"), Values: []stores.Field{{Name: "field0", Value: value}}})
		if micros := look().CollectorMicros; micros != nil {
			told = append(told, *micros)
		}
		if !slices.IsSorted(told) || time.Now().After(until) {
			t.Fatalf("within %v the time of the collector was %v µs", settleTimeout, told)
		}
	}
	restartsLast()
	settle(t, observer, "all healthy again", allHealthy)
	after := look()
	if *after.DataBytes < *before.DataBytes+4<<20 {
		t.Errorf("%d bytes became %d", *before.DataBytes, *after.DataBytes)
	}
	if after.Process == before.Process {
		t.Errorf("the last member is process %d, as it was before", after.Process)
	}
}

// keepsAQuorum ends a member while many write, and leaves it away: others answer for it, all
// that was acknowledged is there before it is back and after.
func keepsAQuorum(t *testing.T, target Target, cluster *servers) {
	target = inMode(target, cassandra.ModeQuorum)
	driver, session := open(t, target)
	writers := newWriters(t, driver, "quorum")
	acknowledged := func(count int) func(attempt) bool {
		return func(a attempt) bool {
			if a.outcome == stores.OK {
				count--
			}
			return count == 0
		}
	}
	writers.until(t, "some writes", acknowledged(100))
	cluster.Kill(t, 1)
	gone := time.Now()
	row := 0
	writers.until(t, "200 writes in a row without the member", func(a attempt) bool {
		if row++; a.outcome != stores.OK || a.begun.Before(gone) {
			row = 0
		}
		return row == 200
	})
	attempts := writers.end()
	present := func(when string) {
		for _, a := range attempts {
			op := stores.Op{Kind: stores.Read, Table: "quorum", Key: []byte(a.key), Deadline: time.Now().Add(opTimeout)}
			if err := session.Do(&op); a.outcome == stores.OK && err != nil || err != nil && !notThere(err) {
				t.Errorf("%s, read %s, of which it said %v: %v", when, a.key, a.err, err)
			}
		}
	}
	present("without the member")
	_, all := open(t, inMode(target, cassandra.ModeAll))
	if got := code(t, all, stores.Op{Kind: stores.Read, Table: "quorum", Key: []byte(attempts[0].key)}); got == stores.CodeNotFound {
		t.Errorf("mode all without a member: %s", got)
	}
	cluster.Start(t, 1)
	observer := observe(t, target)
	defer observer.Close()
	settle(t, observer, "all healthy again", allHealthy)
	present("with the member")
	ctx, cancel := context.WithTimeout(t.Context(), opTimeout)
	defer cancel()
	if err := driver.Reset(ctx, "quorum"); err != nil {
		t.Error(err)
	}
}
