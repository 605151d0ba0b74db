package hazelcast

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
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

// What a session asks before its first operation is a part of that one's latency, and of its failure.
func TestTheGroupIsAskedForOnce(t *testing.T) {
	f := raftMember(t, 1)
	d := cpFor(t, f)
	if err := d.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := cpSessionOf(t, d).Do(opOf(stores.Insert, "k")); err != nil {
			t.Fatal(err)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	asked := slices.DeleteFunc(slices.Clone(f.asked), func(kind uint32) bool { return kind != kindCreateGroup })
	if len(asked) != 1 {
		t.Errorf("asked for %d times", len(asked))
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
	member := func(name, role string, term uint64) stores.MemberState {
		return stores.MemberState{Name: name, Role: role, Term: term, Healthy: role != stores.MemberUnknown}
	}
	type seen struct {
		leader  string
		healthy bool
	}
	for name, c := range map[string]struct {
		states []stores.MemberState
		want   []seen
	}{
		"one that was deposed, and one that is away": {
			[]stores.MemberState{
				member("a", stores.MemberLeader, 3), member("b", stores.MemberLeader, 4), member("c", stores.MemberFollower, 4), member("d", stores.MemberUnknown, 0),
			},
			[]seen{{"", false}, {"b", true}, {"b", true}, {"", false}},
		},
		"one more than the group has": {
			[]stores.MemberState{
				member("a", stores.MemberFollower, 4), member("b", stores.MemberLeader, 4), member("c", stores.MemberFollower, 4), member("d", stores.MemberAlike, 0),
			},
			[]seen{{"b", true}, {"b", true}, {"b", true}, {"b", true}},
		},
		"one is back, and not in the group yet": {
			[]stores.MemberState{
				member("a", stores.MemberFollower, 4), member("b", stores.MemberLeader, 4), member("c", stores.MemberAlike, 0), member("d", stores.MemberAlike, 0),
			},
			[]seen{{"b", true}, {"b", true}, {"b", false}, {"b", false}},
		},
		"the leader has lost its majority": {
			[]stores.MemberState{
				member("a", stores.MemberLeader, 4), member("b", stores.MemberAlike, 0), member("c", stores.MemberAlike, 0), member("d", stores.MemberAlike, 0),
			},
			[]seen{{"a", true}, {"", false}, {"", false}, {"", false}},
		},
		"nobody leads": {
			[]stores.MemberState{
				member("a", stores.MemberFollower, 4), member("b", stores.MemberFollower, 4), member("c", stores.MemberFollower, 4), member("d", stores.MemberAlike, 0),
			},
			[]seen{{"", false}, {"", false}, {"", false}, {"", false}},
		},
	} {
		nameLeader(c.states, 3)
		for i, want := range c.want {
			if c.states[i].Leader != want.leader || c.states[i].Healthy != want.healthy {
				t.Errorf("%s: %+v, want %+v", name, c.states[i], want)
			}
		}
	}
}

func TestTheGroupIsTheLargestThatHazelcastTakes(t *testing.T) {
	for nodes, want := range map[int]int{3: 3, 4: 3, 5: 5, 6: 5, 7: 7, 8: 7, 9: 7} {
		if got := GroupSize(nodes); got != want {
			t.Errorf("%d of %d members, want %d", got, nodes, want)
		}
	}
}

func TestAMemberThatIsBackTakesThePlaceOfTheOneThatIsGone(t *testing.T) {
	id := func(n uint64) uuid { return uuid{low: n} }
	in, outside := func(n uint64) process { return process{name: id(n)} }, func(n uint64) process { return process{name: id(n), outside: true} }
	for name, c := range map[string]struct {
		held      []cpMember
		processes []process
		size      int
		want      repair
	}{
		"all are there":               {[]cpMember{{id(1), id(1)}, {id(2), id(2)}}, []process{in(1), in(2)}, 2, repair{promote: -1}},
		"no group is made yet":        {[]cpMember{{id(1), id(1)}, {id(2), id(2)}}, []process{outside(1), outside(2)}, 2, repair{promote: -1}},
		"one is back":                 {[]cpMember{{id(1), id(1)}, {id(2), id(9)}}, []process{in(1), outside(9)}, 2, repair{remove: id(2), promote: 1}},
		"it was promoted":             {[]cpMember{{id(1), id(1)}, {id(8), id(9)}}, []process{in(1), in(9)}, 2, repair{promote: -1}},
		"the gone one is removed":     {[]cpMember{{id(1), id(1)}}, []process{in(1), outside(9)}, 2, repair{promote: 1}},
		"one more than are to be in":  {[]cpMember{{id(1), id(1)}, {id(2), id(2)}}, []process{in(1), in(2), outside(3)}, 2, repair{promote: -1}},
		"one is back, beside a spare": {[]cpMember{{id(1), id(1)}, {id(2), id(9)}}, []process{outside(3), in(1), outside(9)}, 2, repair{remove: id(2), promote: 2}},
		"a spare takes a free place":  {[]cpMember{{id(1), id(1)}}, []process{outside(3), in(1), outside(9)}, 2, repair{promote: 0}},
	} {
		if got := planRepair(c.held, c.processes, c.size); got != c.want {
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
		"never sent":                    {&conn.UnsentError{Err: io.EOF}, ""},
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
