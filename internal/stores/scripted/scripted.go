// Package scripted is a store in memory whose faults follow a script in time: what an
// outage is, to the millisecond, is known before it is measured.
//
// It keeps no data. An operation takes the service time, unless a fault of the script
// covers it; it never outlives its deadline. The script counts from an instant that is
// set once (Begin), since a workload's start is not known when its driver is opened.
package scripted

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// Behaviour is what a fault does to operations.
type Behaviour int

// The behaviours.
const (
	// Stall answers nothing during the fault, and then all at once: operations under way
	// at its begin, and those sent during it, get their answers at its end.
	Stall Behaviour = iota
	// Swallow loses the operations under way at its begin and those sent during it: they
	// end at their deadline. Operations sent after its end are answered.
	Swallow
	// Refuse fails each operation sent during it at once, and certainly.
	Refuse
	// Flap refuses and answers in turns of Turn, beginning with refusals.
	Flap
)

// Fault is one part of a script; From and To count from Begin.
type Fault struct {
	Behaviour Behaviour
	From, To  time.Duration
	Turn      time.Duration // for Flap
}

// Script is how the store behaves.
type Script struct {
	ServiceTime time.Duration
	Faults      []Fault // none overlaps another
}

// Store is a driver with a script, safe for concurrent use.
type Store struct {
	script Script
	begin  atomic.Pointer[time.Time]
	count  [stores.NumKinds]atomic.Int64
}

// New makes a store; before Begin no fault happens.
func New(script Script) *Store { return &Store{script: script} }

// Begin sets the instant that the faults' times count from.
func (s *Store) Begin(at time.Time) { s.begin.Store(&at) }

// Count is how many operations of the kind have been answered with success.
func (s *Store) Count(kind stores.Kind) int64 { return s.count[kind].Load() }

// NewSession is one of any number.
func (s *Store) NewSession() (stores.Session, error) { return session{s}, nil }

// Reset has nothing to remove.
func (s *Store) Reset(context.Context, string) error { return nil }

// Ping always succeeds.
func (s *Store) Ping(context.Context) error { return nil }

// Close does nothing.
func (s *Store) Close() error { return nil }

// Entry is a catalog entry whose driver is the store.
func (s *Store) Entry() *stores.Entry {
	return &stores.Entry{
		Name: "scripted",
		Open: func(stores.Config) (stores.Driver, error) { return s, nil },
	}
}
