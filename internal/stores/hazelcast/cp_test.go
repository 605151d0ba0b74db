package hazelcast

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"sync"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

// raftMember is a fake one that leads a group of its own.
func raftMember(t *testing.T, low uint64) *member {
	var mu sync.Mutex
	held := map[string][]byte{}
	return newMember(t, low, func(m *message, reply *builder) bool {
		mu.Lock()
		defer mu.Unlock()
		beginReply(reply, m, 0)
		if m.kind() == kindCreateGroup {
			(&cpGroup{seed: 7, id: 8, name: raftGroup}).append(reply)
			reply.end()
			return true
		}
		if numbers := m.frames[2].content; binary.LittleEndian.Uint64(numbers) != 7 || binary.LittleEndian.Uint64(numbers[8:]) != 8 || string(m.frames[3].content) != raftGroup {
			t.Errorf("group %v %q", numbers, m.frames[3].content)
		}
		object := string(m.frames[5].content)
		before, there := held[object]
		if m.kind() == kindRefSet {
			if m.frames[6].is(flagNull) {
				delete(held, object)
			} else {
				held[object] = append([]byte{}, m.frames[6].content...)
			}
			there = there && m.frames[0].content[offsetRequest] == 1
		}
		if there {
			reply.bytes(before)
		} else {
			reply.null()
		}
		reply.end()
		return true
	})
}

func cpFor(t *testing.T, members ...*member) stores.Driver {
	t.Helper()
	cfg := stores.Config{Mode: ModeCP}
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
	return d
}

func cpSessionOf(t *testing.T, d stores.Driver) stores.Session {
	t.Helper()
	session, err := d.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	})
	return session
}

func TestAnEmptiedTableHasOtherObjects(t *testing.T) {
	f := raftMember(t, 1)
	one, other := cpFor(t, f), cpFor(t, f)
	session := cpSessionOf(t, one)
	for _, kind := range []stores.Kind{stores.Insert, stores.Read, stores.Delete, stores.Insert} {
		if err := session.Do(opOf(kind, "k")); err != nil {
			t.Fatalf("%v: %v", kind, err)
		}
	}
	if err := one.Reset(t.Context(), "t"); err != nil {
		t.Fatal(err)
	}
	var known *stores.Error
	if err := session.Do(opOf(stores.Read, "k")); !errors.As(err, &known) || known.Code != stores.CodeNotFound {
		t.Errorf("%v after the reset", err)
	}
	if err := session.Do(opOf(stores.Insert, "k")); err != nil {
		t.Fatal(err)
	}
	// Who comes later finds what is there now.
	if err := errors.Join(cpSessionOf(t, other).Do(opOf(stores.Read, "k")), other.Ping(t.Context())); err != nil {
		t.Error(err)
	}
}

func TestARecordThatIsNotThereCannotBeDeleted(t *testing.T) {
	session := cpSessionOf(t, cpFor(t, raftMember(t, 1)))
	var known *stores.Error
	if err := session.Do(opOf(stores.Delete, "k")); !errors.As(err, &known) || known.Code != stores.CodeNotFound {
		t.Errorf("%v", err)
	}
}

func TestTheLeaderIsThatOfTheHighestTerm(t *testing.T) {
	states := []stores.MemberState{
		{Name: "a", Role: stores.MemberLeader, Term: 3, Healthy: true},
		{Name: "b", Role: stores.MemberLeader, Term: 4, Healthy: true},
		{Name: "c", Role: stores.MemberFollower, Term: 4, Healthy: true},
		{Name: "d", Role: stores.MemberUnknown},
	}
	nameLeader(states)
	for i, want := range []struct {
		leader  string
		healthy bool
	}{{"", false}, {"b", true}, {"b", true}, {"", false}} {
		if states[i].Leader != want.leader || states[i].Healthy != want.healthy {
			t.Errorf("%+v, want %+v", states[i], want)
		}
	}
}

func TestAMemberThatIsBackTakesThePlaceOfTheOneThatIsGone(t *testing.T) {
	id := func(n uint64) uuid { return uuid{low: n} }
	in, outside := func(n uint64) process { return process{name: id(n)} }, func(n uint64) process { return process{name: id(n), outside: true} }
	for name, c := range map[string]struct {
		held      []cpMember
		processes []process
		want      repair
	}{
		"all are there":           {[]cpMember{{id(1), id(1)}, {id(2), id(2)}}, []process{in(1), in(2)}, repair{promote: -1}},
		"no group is made yet":    {[]cpMember{{id(1), id(1)}, {id(2), id(2)}}, []process{outside(1), outside(2)}, repair{promote: -1}},
		"one is back":             {[]cpMember{{id(1), id(1)}, {id(2), id(9)}}, []process{in(1), outside(9)}, repair{remove: id(2), promote: 1}},
		"it was promoted":         {[]cpMember{{id(1), id(1)}, {id(8), id(9)}}, []process{in(1), in(9)}, repair{promote: -1}},
		"the gone one is removed": {[]cpMember{{id(1), id(1)}}, []process{in(1), outside(9)}, repair{promote: 1}},
	} {
		if got := planRepair(c.held, c.processes); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestARepairIsToldUnlessItWasNotDone(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"done":                          {nil, "x was removed"},
		"never sent":                    {&unsent{io.EOF}, ""},
		"refused":                       {&serverError{number: illegalState}, ""},
		"of the wrong kind":             {&serverError{number: 61}, ""},
		"a member that didn't end it":   {&serverError{number: 38}, "x was removed, perhaps: no answer said so"},
		"an answer that was lost":       {io.ErrUnexpectedEOF, "x was removed, perhaps: no answer said so"},
		"an answer that comes too late": {os.ErrDeadlineExceeded, "x was removed, perhaps: no answer said so"},
	} {
		if got := told("x was removed", c.err); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
