package redis

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// seen is a view of nodes, of which that one says it.
func seen(self string, nodes ...node) []node {
	view := make([]node, len(nodes))
	for i, n := range nodes {
		n.self, n.linked = n.id == self, true
		view[i] = n
	}
	return view
}

func primary(id string, epoch uint64, slots ...span) node {
	return node{id: id, addresses: []string{id + ":6379"}, primary: true, epoch: epoch, slots: slots}
}

func replica(id, follows string) node {
	return node{id: id, addresses: []string{id + ":6379"}, follows: follows}
}

func TestTheHigherEpochHasTheSlot(t *testing.T) {
	low, high, all := span{0, 8191}, span{8192, 16383}, span{0, 16383}
	members, ids := []string{"run-0:1", "run-1:1", "run-2:1"}, []string{"a", "b", "c"}
	for name, c := range map[string]struct {
		views           [][]node
		first, last     int16
		foreign, wholes bool
	}{
		"nobody answers": {nil, nobody, nobody, false, false},
		"one answers":    {[][]node{nil, seen("b", primary("a", 1, low), primary("b", 2, high)), nil}, 0, 1, false, true},
		"one was cut off": {[][]node{
			seen("a", primary("a", 1, all), replica("c", "a")),
			seen("b", primary("a", 1), primary("c", 3, low), primary("b", 2, high)),
		}, 2, 1, false, true},
		"the order of the answers is no matter": {[][]node{
			seen("a", primary("c", 3, low), primary("b", 2, high)),
			seen("b", primary("a", 1, all)),
		}, 2, 1, false, true},
		"slots that nobody has":    {[][]node{seen("a", primary("a", 1, low))}, 0, nobody, false, false},
		"slots of a foreign node":  {[][]node{seen("a", primary("a", 1, low), primary("x", 2, high))}, 0, nobody, true, false},
		"one that isn't there yet": {[][]node{seen("a", primary("a", 1, low), node{id: "b", primary: true, handshake: true, slots: []span{high}})}, 0, nobody, false, false},
		"a replica's slots":        {[][]node{seen("a", primary("a", 1, low), node{id: "b", slots: []span{high}})}, 0, nobody, false, false},
		"a member that hasn't said its name, by its address": {
			[][]node{seen("a", primary("a", 1, low), node{id: "z", addresses: []string{"run-2:1"}, primary: true, epoch: 1, slots: []span{high}})}, 0, 2, false, true},
	} {
		l := layoutOf(members, ids, c.views)
		if l.owners[0] != c.first || l.owners[slotCount-1] != c.last || (l.foreign != "") != c.foreign {
			t.Errorf("%s: %d, %d, foreign %q", name, l.owners[0], l.owners[slotCount-1], l.foreign)
		}
		if _, whole := l.primaries(); whole != c.wholes {
			t.Errorf("%s: whole %v", name, whole)
		}
	}
}

func TestAMemberIsFoundByEachOfItsAddresses(t *testing.T) {
	l := layoutOf([]string{"run-0:1", "run-1:1"}, []string{"a", "b"}, [][]node{seen("a",
		node{id: "b", addresses: []string{"10.0.0.2:1", "run-1.x:1"}, primary: true}, node{id: "x", addresses: []string{"10.0.0.9:1"}, primary: true})})
	for address, want := range map[string]int{"run-0:1": 0, "run-1:1": 1, "10.0.0.2:1": 1, "run-1.x:1": 1} {
		if got, known := l.places[address]; !known || got != want {
			t.Errorf("%s is member %d, %v", address, got, known)
		}
	}
	if got, known := l.places["10.0.0.9:1"]; known {
		t.Errorf("a stranger is member %d", got)
	}
}

// A member is redirected to before it has said its ID, as long as one has only just asked.
func TestAMemberThatHasNotSaidItsIDIsFoundByEachOfItsAddresses(t *testing.T) {
	stale := node{id: "old", addresses: []string{"10.0.0.1:1", "run-1:1"}, primary: true}
	l := layoutOf([]string{"run-0:1", "run-1:1"}, []string{"a", ""}, [][]node{seen("a", stale,
		node{id: "a", addresses: []string{"10.0.0.1:1", "run-0:1"}, primary: true}, node{id: "b", addresses: []string{"run-1:1", "run-1.x:1"}, primary: true})})
	for address, want := range map[string]int{"run-1:1": 1, "run-1.x:1": 1, "10.0.0.1:1": 0} {
		if got, known := l.places[address]; !known || got != want {
			t.Errorf("%s is member %d, %v", address, got, known)
		}
	}
}

func TestALayoutIsReplacedWhenItChanges(t *testing.T) {
	a := &slotTable{members: []string{"run-0:1", "run-1:1"}, ids: make([]string, 2), views: make([][]node, 2), stop: func() {}}
	a.now.Store(layoutOf(a.members, a.ids, nil))
	same := func(what string, act func()) {
		t.Helper()
		before := a.now.Load()
		if act(); a.now.Load() != before {
			t.Errorf("it is replaced by %s", what)
		}
	}
	replaced := func(what string, act func()) {
		t.Helper()
		before := a.now.Load()
		act()
		select {
		case <-before.over:
		case <-time.After(time.Second):
			t.Errorf("nobody is told of %s", what)
		}
		if a.now.Load() == before {
			t.Errorf("it isn't replaced by %s", what)
		}
	}
	half := []node{primary("a", 1, span{0, 8191}), primary("b", 2, span{8192, 16383})}
	same("an error", func() { a.hear(0, nil, errors.New("away")) })
	replaced("the first answer", func() { a.hear(0, seen("a", half...), nil) })
	same("the same again", func() { a.hear(0, seen("a", half...), nil) })
	replaced("a failover", func() { a.hear(1, seen("b", primary("a", 1), primary("b", 3, span{0, 16383})), nil) })
	if members, _ := a.now.Load().primaries(); len(members) != 1 || members[0] != 1 {
		t.Errorf("the primaries are %v", members)
	}
	a.hear(0, nil, errors.New("away"))
	same("silence of all", func() { a.hear(1, nil, errors.New("away")) })
}

func TestAnOperationWithoutAnOwnerSaysWhy(t *testing.T) {
	for want, act := range map[string]func(*slotTable){
		"no member has the slot":        func(*slotTable) {},
		"cluster support disabled":      func(a *slotTable) { a.hear(0, nil, errors.New("ERR This instance has cluster support disabled")) },
		"name all nodes of the cluster": func(a *slotTable) { a.hear(0, seen("a", primary("a", 1), primary("x", 1, span{0, 16383})), nil) },
	} {
		a := &slotTable{members: []string{"run-0:1"}, ids: make([]string, 1), views: make([][]node, 1), stop: func() {}}
		a.now.Store(layoutOf(a.members, a.ids, nil))
		act(a)
		if err := a.lost(); !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A key stays in its shard when another member takes its slots over.
func TestAShardIsOfTheFirstOwnersOfAllSlots(t *testing.T) {
	low, high := span{0, 8191}, span{8192, 16383}
	a := &slotTable{members: []string{"a:6379", "b:6379", "c:6379"}, ids: []string{"a", "b", "c"}, views: make([][]node, 3), stop: func() {}}
	a.now.Store(layoutOf(a.members, a.ids, nil))
	for _, c := range []struct {
		what       string
		view       []node
		first, end uint8
	}{
		{"half of the slots have no owner", seen("a", primary("a", 1, low)), 0, 0},
		{"all have one", seen("a", primary("a", 1, low), primary("b", 2, high)), 1, 2},
		{"a replica took over", seen("a", replica("a", "c"), primary("c", 3, low), primary("b", 2, high)), 1, 2},
	} {
		a.hear(0, c.view, nil)
		if first, end := a.shards.Of(0), a.shards.Of(slotCount-1); first != c.first || end != c.end {
			t.Errorf("%s: shards %d and %d, want %d and %d", c.what, first, end, c.first, c.end)
		}
	}
}
