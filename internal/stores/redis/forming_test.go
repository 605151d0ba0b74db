package redis

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// world is servers as they are; a view is made of what each of them knows.
type world struct {
	selves []node
	knows  []map[string]bool // IDs
	gone   []node            // that no member is any more
}

func newWorld(members int) *world {
	w := &world{}
	for i := range members {
		w.selves = append(w.selves, primary(fmt.Sprint("id", i), 0))
		w.knows = append(w.knows, map[string]bool{w.selves[i].id: true})
	}
	return w
}

func (w *world) forming() *forming {
	f := &forming{}
	for i, self := range w.selves {
		view := []node{}
		for _, other := range append(slices.Clone(w.selves), w.gone...) {
			if w.knows[i][other.id] {
				other.self, other.linked = other.id == self.id, !other.failed
				view = append(view, other)
			}
		}
		f.views = append(f.views, view)
		f.names, f.hosts, f.ports = append(f.names, fmt.Sprint("run-", i)), append(f.hosts, fmt.Sprint("10.0.0.", i)), append(f.ports, "6379")
	}
	return f
}

// obey does what a server does for a command. Introductions are told to all.
func (w *world) obey(t *testing.T, s step) {
	t.Helper()
	self := &w.selves[s.at]
	switch s.command[1] {
	case "MEET":
		i := slices.IndexFunc(w.selves, func(n node) bool { return strings.HasSuffix(s.command[2], "."+n.id[2:3]) })
		for _, knows := range w.knows {
			knows[w.selves[i].id] = true
		}
		for id := range w.knows[s.at] {
			w.knows[i][id] = true
		}
	case "ADDSLOTSRANGE":
		for i := 2; i < len(s.command); i += 2 {
			var slots span
			if _, err := fmt.Sscan(s.command[i]+" "+s.command[i+1], &slots.first, &slots.last); err != nil {
				t.Fatal(err)
			}
			self.slots = append(self.slots, slots)
		}
	case "REPLICATE":
		self.primary, self.follows = false, s.command[2]
	case "FORGET":
		delete(w.knows[s.at], s.command[2])
	default:
		t.Fatalf("%v", s.command)
	}
}

// settle obeys until nothing is to be done; breakOff leaves all but the first step of each turn.
func (w *world) settle(t *testing.T, breakOff bool) {
	t.Helper()
	for range 100 {
		steps := w.forming().next()
		if len(steps) == 0 {
			return
		}
		if breakOff {
			steps = steps[:1]
		}
		for _, s := range steps {
			w.obey(t, s)
		}
	}
	t.Fatal("it has no end")
}

// shape is the members' slots, or whom they follow.
func (w *world) shape() string {
	var words []string
	for _, n := range w.selves {
		if n.primary {
			words = append(words, fmt.Sprint(n.slots))
		} else {
			words = append(words, n.follows)
		}
	}
	return strings.Join(words, " ")
}

func TestAClusterIsMadeOfAnyNumber(t *testing.T) {
	const three = "[{0 5460}] [{5461 10921}] [{10922 16383}]"
	for members, want := range map[int]string{
		1: "[{0 16383}]", 3: three, 4: three + " id0", 5: three + " id0 id1", 6: three + " id0 id1 id2", 9: three + " id0 id1 id2 id0 id1 id2",
	} {
		for _, breakOff := range []bool{false, true} {
			w := newWorld(members)
			w.settle(t, breakOff)
			if got := w.shape(); got != want {
				t.Errorf("%d members, broken off %v: %s, want %s", members, breakOff, got, want)
			}
		}
	}
}

func TestAMemberThatLostItsDataIsTakenInAgain(t *testing.T) {
	// member 0 comes back with another ID.
	lose := func(members int) *world {
		w := newWorld(members)
		w.settle(t, false)
		old := w.selves[0]
		w.selves[0] = primary("id0new", 0)
		w.knows[0] = map[string]bool{"id0new": true}
		w.gone = []node{old}
		return w
	}
	t.Run("while it isn't missed, nothing is done but the introduction", func(t *testing.T) {
		w := lose(6)
		w.settle(t, false)
		if w.shape() != "[] [{5461 10921}] [{10922 16383}] id0 id1 id2" || !w.knows[1]["id0new"] {
			t.Errorf("%s", w.shape())
		}
	})
	t.Run("while a replica is there to take the slots, it is waited for", func(t *testing.T) {
		w := lose(6)
		w.gone[0].failed = true
		w.settle(t, false)
		if w.shape() != "[] [{5461 10921}] [{10922 16383}] id0 id1 id2" || !w.knows[1]["id0"] {
			t.Errorf("%s", w.shape())
		}
	})
	t.Run("where its slots were taken, nobody lost them, whatever others believe", func(t *testing.T) {
		w := lose(6)
		w.gone[0].failed = true
		w.selves[3] = primary("id3", 0, span{0, 5460})
		for _, s := range w.forming().introductions() {
			w.obey(t, s)
		}
		steps := w.forming().next()
		if len(steps) != 6 {
			t.Errorf("%+v", steps)
		}
		for _, s := range steps {
			if s.command[1] != "FORGET" || strings.Contains(s.did, "slots") {
				t.Errorf("%+v", s)
			}
		}
	})
	t.Run("then it is a replica of that one", func(t *testing.T) {
		w := lose(6)
		w.gone[0].failed, w.gone[0].slots = true, nil
		w.selves[3] = primary("id3", 9, span{0, 5460})
		w.settle(t, true)
		if w.shape() != "id3 [{5461 10921}] [{10922 16383}] [{0 5460}] id1 id2" {
			t.Errorf("%s", w.shape())
		}
		for i, knows := range w.knows {
			if knows["id0"] {
				t.Errorf("member %d knows who it was", i)
			}
		}
	})
	t.Run("where no replica has its data, it has its slots, and they are empty", func(t *testing.T) {
		w := lose(3)
		w.gone[0].failed = true
		steps := []string{}
		for range 10 {
			for _, s := range w.forming().next() {
				steps = append(steps, s.did)
				w.obey(t, s)
			}
		}
		if w.shape() != "[{0 5460}] [{5461 10921}] [{10922 16383}]" {
			t.Errorf("%s", w.shape())
		}
		if said := strings.Join(steps, "; "); !strings.Contains(said, "5461 slots that nobody else has") || !strings.Contains(said, "run-0 was given 5461 slots") {
			t.Errorf("it says %q", said)
		}
	})
}

func TestMembersAtNewAddressesAreIntroducedAgain(t *testing.T) {
	w := newWorld(3)
	w.settle(t, false)
	f := w.forming()
	for i := range f.views {
		for j := range f.views[i] {
			f.views[i][j].linked = i == j
			f.views[i][j].failed = i != j
		}
	}
	var got []string
	for _, s := range f.next() {
		got = append(got, fmt.Sprintf("%d%v", s.at, s.command))
	}
	if want := []string{"0[CLUSTER MEET 10.0.0.1 6379]", "0[CLUSTER MEET 10.0.0.2 6379]"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// What works is left alone, however somebody has laid it out.
func TestAClusterOfOthersIsLeftAlone(t *testing.T) {
	w := newWorld(4)
	w.settle(t, false)
	w.selves[0].slots, w.selves[1].slots = []span{{0, 100}, {5461, 10921}}, []span{{101, 5460}}
	w.gone = []node{primary("stranger", 1)}
	for i := range w.knows {
		w.knows[i]["stranger"] = true
	}
	if steps := w.forming().next(); len(steps) != 0 {
		t.Errorf("%+v", steps)
	}
}
