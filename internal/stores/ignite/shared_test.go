package ignite

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// sharing is a driver whose one connection to each member is there.
func sharing(t *testing.T, cfg stores.Config, members ...*member) *driver {
	t.Helper()
	cfg.Connections = 1
	for _, f := range members {
		cfg.Addresses = append(cfg.Addresses, f.address)
	}
	d, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := d.(stores.Connector).Connect(ctx); err != nil {
		t.Fatal(err)
	}
	return d.(*driver)
}

// doOne does an operation in a session of its own.
func doOne(t *testing.T, d stores.Driver, op *stores.Op) *stores.Error {
	t.Helper()
	s, err := d.NewSession()
	if err != nil {
		t.Error(err)
	}
	defer s.Close()
	var failure *stores.Error
	errors.As(s.Do(op), &failure)
	return failure
}

// holding is a member that has a table, and holds requests to write to it.
func holding(t *testing.T) (*member, *driver) {
	t.Helper()
	f := newMember(t, 1, acknowledge)
	d := sharing(t, stores.Config{}, f)
	if failure := doOne(t, d, opOf(stores.Insert, "first")); failure != nil {
		t.Fatal(failure)
	}
	f.set(func() { f.holds = kindPut })
	return f, d
}

func TestOneConnectionCarriesManyRequestsWhoseAnswersComeInAnyOrder(t *testing.T) {
	f, d := holding(t)
	var all sync.WaitGroup
	for i := range 2 * conn.Depth {
		all.Go(func() {
			if failure := doOne(t, d, opOf(stores.Insert, fmt.Sprint(i))); failure != nil {
				t.Error(failure)
			}
		})
	}
	// The first connection is silent after a moment, and another one is made in its place.
	var held []heldRequest
	until(t, "two connections are full", func() bool { held = f.isHolding(2 * conn.Depth); return held != nil })
	on := map[net.Conn]int{}
	for _, h := range slices.Backward(held) {
		on[h.from]++
		var reply builder
		acknowledge(h.request, &reply)
		if _, err := h.from.Write(reply.out); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
	for _, count := range on {
		if count != conn.Depth {
			t.Errorf("%d requests were under way on one of %d connections", count, len(on))
		}
	}
	if count := d.Connections(); count.Opened != 2 || count.Connect <= 0 || count.Lost != 0 {
		t.Errorf("%+v", count)
	}
}

func TestOperationsOfALostConnectionAreUnknownAndCounted(t *testing.T) {
	f, d := holding(t)
	var all sync.WaitGroup
	var unknown atomic.Int64
	for i := range conn.Depth {
		all.Go(func() {
			if failure := doOne(t, d, opOf(stores.Insert, fmt.Sprint(i))); failure != nil && failure.Outcome == stores.Unknown {
				unknown.Add(1)
			}
		})
	}
	var held []heldRequest
	until(t, "all are under way", func() bool { held = f.isHolding(conn.Depth); return held != nil })
	ended := map[net.Conn]bool{}
	for _, h := range held {
		ended[h.from] = true
		h.from.Close()
	}
	all.Wait()
	if lost := d.Connections().Lost; unknown.Load() != conn.Depth || lost != int64(conn.Depth-len(ended)) {
		t.Errorf("%d are unknown, and %d counted as lost with %d connections", unknown.Load(), lost, len(ended))
	}
	until(t, "operations succeed over another connection", func() bool {
		failure := doOne(t, d, opOf(stores.Delete, "k"))
		return failure != nil && failure.Code == stores.CodeNotFound
	})
}

func TestAnOperationWithoutAnAnswerLeavesItsConnectionToOthers(t *testing.T) {
	_, d := holding(t)
	late := opOf(stores.Update, "k")
	late.Deadline = time.Now().Add(20 * time.Millisecond)
	if failure := doOne(t, d, late); failure == nil || failure.Outcome != stores.Unknown || failure.Code != stores.CodeDeadline {
		t.Errorf("after its deadline: %v", failure)
	}
	if failure := doOne(t, d, opOf(stores.Read, "k")); failure == nil || failure.Code != stores.CodeNotFound {
		t.Errorf("over the same connection: %v", failure)
	}
	if lost := d.Connections().Lost; lost != 0 {
		t.Errorf("%d are counted as lost", lost)
	}
}

// The answers over the shared connections say that the owners are others, too.
func TestASharedConnectionGoesToThePartitionsOwner(t *testing.T) {
	one, other := newMember(t, 1, acknowledge), newMember(t, 2, acknowledge)
	d := sharing(t, stores.Config{}, one, other)
	if failure := doOne(t, d, opOf(stores.Insert, "first")); failure != nil {
		t.Fatal(failure)
	}
	for _, f := range []*member{one, other} {
		f.set(func() { f.owners = map[uuid][]int32{other.name: every} })
	}
	until(t, "the other one owns all partitions", func() bool { return d.affinity.table("t").owner(0) == 1 })
	before := other.wasAsked(kindPut)
	for i := range 20 {
		if failure := doOne(t, d, opOf(stores.Insert, fmt.Sprint(i))); failure != nil {
			t.Error(failure)
		}
	}
	if got := other.wasAsked(kindPut) - before; got != 20 {
		t.Errorf("the owner was asked for %d writes of 20", got)
	}
	if d.Places() != 0 {
		t.Error("one member's places keep others' operations waiting")
	}
}

func TestSharedConnectionsShowThePassword(t *testing.T) {
	f := newMember(t, 1, acknowledge)
	f.password = "secret"
	d := sharing(t, stores.Config{Credentials: &stores.Credentials{User: user, Password: "secret"}}, f)
	if failure := doOne(t, d, opOf(stores.Insert, "k")); failure != nil {
		t.Error(failure)
	}
	wrong, err := Open(stores.Config{Addresses: []string{f.address}, Connections: 1, Credentials: &stores.Credentials{User: user, Password: "guessed"}})
	if err != nil {
		t.Fatal(err)
	}
	defer wrong.Close()
	if failure := doOne(t, wrong, opOf(stores.Insert, "k")); failure == nil || failure.Code != stores.CodeUnauthorized || failure.Outcome != stores.Failed {
		t.Errorf("with another password: %v", failure)
	}
}

func TestAnAnswerThatIsNoneEndsItsConnection(t *testing.T) {
	f := newMember(t, 1, func(r request, reply *builder) bool {
		beginReply(reply, r)
		reply.end() // a delete's says whether there was one
		return true
	})
	d := sharing(t, stores.Config{}, f)
	if failure := doOne(t, d, opOf(stores.Delete, "k")); failure == nil || failure.Code != stores.CodeServerError {
		t.Errorf("%v", failure)
	}
	until(t, "another connection is made", func() bool { return d.Connections().Opened == 2 })
}

func TestAThreadHasItsConnectionsBeforeItsFirstOperation(t *testing.T) {
	one, other := newMember(t, 1, acknowledge), newMember(t, 2, acknowledge)
	_, s := openFor(t, one, other)
	if err := s.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, l := range s.links {
		if l.Conn() == nil {
			t.Errorf("no connection to %s", l.address)
		}
	}
}
