// Package conformance tests every driver and observer against its real store. It has the tests that all must
// pass. A store's own test file starts a cluster and calls them.
package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// opTimeout is an operation's deadline: far above what a healthy store needs.
const opTimeout = 10 * time.Second

// Target is a running, healthy store.
type Target struct {
	Entry  *stores.Entry
	Config stores.Config // its Mode is for requirements that are of one mode
}

// Sharing is the target for a driver whose sessions share two connections to each member.
func Sharing(target Target) Target {
	target.Config.Connections = 2
	return target
}

// table is one that no other way of the target's has.
func (target *Target) table(name string) string {
	if target.Config.Connections > 0 {
		return name + "_shared"
	}
	return name
}

// Driver runs every requirement on a driver in every mode that a store of this size can have.
func Driver(t *testing.T, target Target) {
	for i := range target.Entry.Modes {
		mode := &target.Entry.Modes[i]
		if !mode.CanHave(len(target.Config.Names)) {
			continue
		}
		t.Run(mode.Name, func(t *testing.T) {
			config := target.Config
			config.Mode = mode.Name
			driver, err := target.Entry.Open(config)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := driver.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			})
			// Where a read may be old, it is repeated until it isn't.
			b := &bench{target: target, entry: target.Entry, mode: mode, driver: driver, fresh: mode.Promise.ReadsAreFresh()}
			for _, requirement := range requirements(mode) {
				t.Run(requirement.name, func(t *testing.T) { requirement.check(t, b) })
			}
			if mode.Expires {
				t.Run("a record stays for its time to live", func(t *testing.T) { expires(t, b, config) })
			}
		})
	}
}

type requirement struct {
	name  string
	check func(*testing.T, *bench)
}

// requirements are those of every mode, and those of what this one can do.
func requirements(mode *stores.Mode) []requirement {
	all := slices.Clone(everyMode)
	if mode.ResetsOneTable() {
		all = append(all, requirement{"reset empties one table alone", resetsOneTable})
	}
	if mode.Scan == stores.ScanNone {
		return append(all, requirement{"a scan is refused", refusesScans})
	}
	return append(all,
		requirement{"a scan brings records from its key on", scans},
		requirement{"a scan brings many bytes", scansManyBytes},
		requirement{"a scan ends with its table", scansOneTable})
}

var everyMode = []requirement{
	{"a healthy store answers a ping", pings},
	{"an inserted record is read back", readsWhatWasInserted},
	{"a read of some fields brings those", readsSomeFields},
	{"an update replaces the fields", updates},
	{"binary keys and values survive", survivesBinary},
	{"a missing record is NOT_FOUND", missesRecords},
	{"a deleted record is gone", deletes},
	{"reset empties a table", resets},
	{"keys of up to 200 bytes work", takesLongKeys},
	{"a passed deadline fails and writes nothing", keepsDeadlines},
	{"sessions work beside each other", worksConcurrently},
	{"results are the caller's to reuse", reusesResults},
}

// bench is a driver under test, with shorthands for its operations.
type bench struct {
	target Target
	entry  *stores.Entry
	mode   *stores.Mode
	driver stores.Driver
	fresh  bool
	tables int
}

// table is a new, empty table, of this mode alone: others may lay out records in another way.
func (b *bench) table() string {
	b.tables++
	return b.target.table(fmt.Sprintf("table%d_%s", b.tables, strings.ReplaceAll(b.mode.Name, "-", "_")))
}

func (b *bench) session(t *testing.T) stores.Session {
	t.Helper()
	session, err := b.driver.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("close the session: %v", err)
		}
	})
	return session
}

func do(t *testing.T, session stores.Session, op stores.Op) stores.Op {
	t.Helper()
	op.WantResult = true
	if op.Deadline.IsZero() {
		op.Deadline = time.Now().Add(opTimeout)
	}
	if err := session.Do(&op); err != nil {
		t.Fatalf("%v of %s/%q: %v", op.Kind, op.Table, op.Key, err)
	}
	return op
}

// code is the code of an operation that must fail for certain.
func code(t *testing.T, session stores.Session, op stores.Op) string {
	t.Helper()
	op.Deadline, op.WantResult = time.Now().Add(opTimeout), true
	err := session.Do(&op)
	var failure *stores.Error
	if !errors.As(err, &failure) || failure.Outcome != stores.Failed {
		t.Fatalf("%v of %s/%q: %v, want a failure", op.Kind, op.Table, op.Key, err)
	}
	return failure.Code
}

// catchUp is how much older than the last write a read is at most on a machine with free cores, where it may
// be: what is gone for so long from all members that were asked is gone.
const catchUp = time.Second

// eventually repeats a look until it is satisfied: at once where reads are fresh, and where they may be
// old within any time, since nothing bounds how old.
func (b *bench) eventually(t *testing.T, what string, look func() (bool, string)) {
	t.Helper()
	deadline := time.Now().Add(settleTimeout)
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		ok, got := look()
		if ok {
			return
		}
		if b.fresh || time.Now().After(deadline) {
			t.Fatalf("%s: %s", what, got)
		}
		<-again.C
	}
}

// expect reads the record until it holds these fields, in any order.
func (b *bench) expect(t *testing.T, session stores.Session, table string, key []byte, want []stores.Field) {
	t.Helper()
	b.expectOf(t, session, table, key, nil, want)
}

// expectOf is expect for a read of those fields; nil is all.
func (b *bench) expectOf(t *testing.T, session stores.Session, table string, key []byte, fields []string, want []stores.Field) {
	t.Helper()
	b.eventually(t, fmt.Sprintf("read %s/%q", table, key), func() (bool, string) {
		op := stores.Op{Kind: stores.Read, Table: table, Key: key, Fields: fields, WantResult: true}
		found := isThere(t, session, &op)
		return found && sameFields(op.Result, want), fmt.Sprintf("%v, there: %t; want %v", op.Result, found, want)
	})
}

// isThere does a read, and says whether there was such a record. No other failure is an answer.
func isThere(t *testing.T, session stores.Session, op *stores.Op) bool {
	t.Helper()
	op.Deadline = time.Now().Add(opTimeout)
	err := session.Do(op)
	if err != nil && !notThere(err) {
		t.Fatalf("%v of %s/%q: %v", op.Kind, op.Table, op.Key, err)
	}
	return err == nil
}

func sameFields(a, b []stores.Field) bool {
	byName := func(x, y stores.Field) int { return bytes.Compare([]byte(x.Name), []byte(y.Name)) }
	return slices.EqualFunc(slices.SortedFunc(slices.Values(a), byName), slices.SortedFunc(slices.Values(b), byName),
		func(x, y stores.Field) bool { return x.Name == y.Name && bytes.Equal(x.Value, y.Value) })
}

// record has two fields whose values tell it from others.
func record(tag string) []stores.Field {
	return []stores.Field{{Name: "field0", Value: []byte(tag)}, {Name: "field1", Value: []byte("other " + tag)}}
}

func pings(t *testing.T, b *bench) {
	ctx, cancel := context.WithTimeout(t.Context(), opTimeout)
	defer cancel()
	if err := b.driver.Ping(ctx); err != nil {
		t.Fatal(err)
	}
}
