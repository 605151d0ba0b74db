package hazelcast

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
func sharing(t *testing.T, mode string, members ...*member) stores.Driver {
	t.Helper()
	cfg := stores.Config{Mode: mode, Connections: 1}
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
	return d
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

func TestOneConnectionCarriesManyRequestsWhoseAnswersComeInAnyOrder(t *testing.T) {
	f := newMember(t, 1, acknowledge)
	f.holds = kindMapSet
	d := sharing(t, ModeIMap, f)
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
		acknowledge(&h.request, &reply)
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
	if count := d.(stores.Sharer).Connections(); count.Opened != 2 || count.Connect <= 0 || count.Lost != 0 {
		t.Errorf("%+v", count)
	}
}

func TestOperationsOfALostConnectionAreUnknownAndCounted(t *testing.T) {
	f := newMember(t, 1, acknowledge)
	f.holds = kindMapSet
	d := sharing(t, ModeIMap, f)
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
	if lost := d.(stores.Sharer).Connections().Lost; unknown.Load() != conn.Depth || lost != int64(conn.Depth-len(ended)) {
		t.Errorf("%d are unknown, and %d counted as lost with %d connections", unknown.Load(), lost, len(ended))
	}
	until(t, "operations succeed over another connection", func() bool {
		failure := doOne(t, d, opOf(stores.Delete, "k"))
		return failure != nil && failure.Code == stores.CodeNotFound
	})
}

func TestAnOperationWithoutAnAnswerLeavesItsConnectionToOthers(t *testing.T) {
	f := newMember(t, 1, acknowledge)
	f.holds = kindMapSet
	d := sharing(t, ModeIMap, f)
	late := opOf(stores.Update, "k")
	late.Deadline = time.Now().Add(20 * time.Millisecond)
	if failure := doOne(t, d, late); failure == nil || failure.Outcome != stores.Unknown || failure.Code != stores.CodeDeadline {
		t.Errorf("after its deadline: %v", failure)
	}
	if failure := doOne(t, d, opOf(stores.Read, "k")); failure == nil || failure.Code != stores.CodeNotFound {
		t.Errorf("over the same connection: %v", failure)
	}
	if lost := d.(stores.Sharer).Connections().Lost; lost != 0 {
		t.Errorf("%d are counted as lost", lost)
	}
}

func TestASharedConnectionGoesToThePartitionsOwner(t *testing.T) {
	one, other := newMember(t, 1, acknowledge), newMember(t, 2, acknowledge)
	d := sharing(t, ModeIMap, one, other)
	every := []int32{0, 1, 2, 3, 4, 5, 6}
	view := partitionsView([]uuid{other.name}, [][]int32{every})
	until(t, "the other one owns all partitions", func() bool {
		one.tell(view)
		other.tell(view)
		return d.(*driver).clusterView.table.Owner(0) == 1
	})
	if failure := doOne(t, d, opOf(stores.Insert, "k")); failure != nil || one.wasAsked(kindMapSet) || !other.wasAsked(kindMapSet) {
		t.Errorf("%v; one was asked: %v", failure, one.wasAsked(kindMapSet))
	}
	if d.(stores.Sharer).Places() != 0 {
		t.Error("one member's places keep others' operations waiting")
	}
}

func TestAnyMemberOfARaftGroupIsAsked(t *testing.T) {
	one, other := raftMember(t, 1), raftMember(t, 2)
	d := sharing(t, ModeCP, one, other)
	for range 4 {
		if failure := doOne(t, d, opOf(stores.Update, "k")); failure != nil {
			t.Error(failure)
		}
	}
	if !one.wasAsked(kindRefSet) || !other.wasAsked(kindRefSet) {
		t.Error("one was not asked")
	}
	if d.(stores.Sharer).Places() != 2*2*conn.Depth {
		t.Errorf("%d places", d.(stores.Sharer).Places())
	}
}

func TestAnAnswerThatIsNoneEndsItsConnection(t *testing.T) {
	f := newMember(t, 1, func(m *message, reply *builder) bool {
		beginReply(reply, m, 0)
		reply.end() // a read's has a value, or none
		return true
	})
	d := sharing(t, ModeIMap, f)
	if failure := doOne(t, d, opOf(stores.Read, "k")); failure == nil || failure.Code != stores.CodeServerError {
		t.Errorf("%v", failure)
	}
	until(t, "another connection is made", func() bool { return d.(stores.Sharer).Connections().Opened == 2 })
}

func TestAThreadHasItsConnectionsBeforeItsFirstOperation(t *testing.T) {
	for mode, there := range map[string]*member{ModeCP: raftMember(t, 1), ModeIMap: newMember(t, 1, acknowledge)} {
		d, err := Open(stores.Config{Mode: mode, Addresses: []string{there.address}})
		if err != nil {
			t.Fatal(err)
		}
		s, err := d.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.(stores.Connector).Connect(t.Context()); err != nil || !there.wasAsked(kindAuthentication) {
			t.Errorf("%s: %v", mode, err)
		}
		if err := errors.Join(s.Close(), d.Close()); err != nil {
			t.Error(err)
		}
	}
}
