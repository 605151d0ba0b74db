package redis

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kvbench/kvbench/internal/stores"
)

// slotTable knows which member has which slots. It asks all members all the time, each in a goroutine. So a session
// never asks, and never waits for a member that is away.
type slotTable struct {
	members     []string // addresses
	credentials *stores.Credentials
	now         atomic.Pointer[layout]
	shards      stores.Shards // of the slots
	inquiry     inquiry

	mu      sync.Mutex
	ids     []string // each member's own, as it last said
	views   [][]node // what each member says of all; nil where it doesn't answer
	trouble error    // why a slot's owner isn't known, as the last answer has it
	stop    context.CancelFunc
	all     sync.WaitGroup
}

// nobody has a slot.
const nobody = -1

// layout says which member has which slots. It never changes: another one follows it.
type layout struct {
	owners [slotCount]int16 // member, or nobody
	places map[string]int   // member by each address that the cluster has for it
	// foreign is the address of a node that has slots and is none of the members; "" where there
	// is none.
	foreign string
	over    chan struct{} // closed when another layout follows
}

// newSlotTable asks the members.
func newSlotTable(members []string, credentials *stores.Credentials) *slotTable {
	ctx, stop := context.WithCancel(context.Background())
	a := &slotTable{members: members, credentials: credentials, ids: make([]string, len(members)), views: make([][]node, len(members)), stop: stop}
	a.now.Store(layoutOf(a.members, a.ids, nil))
	for i, address := range members {
		a.all.Go(func() {
			a.inquiry.repeat(ctx, newPeer(address, credentials), func(ctx context.Context, p *peer) {
				nodes, err := askNodes(ctx, p)
				a.hear(i, nodes, err)
			})
		})
	}
	return a
}

// hear takes a member's answer, or that it has none. While no member answers, the layout stays.
func (a *slotTable) hear(member int, nodes []node, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		a.trouble, nodes = err, nil
	} else {
		a.ids[member] = selfOf(nodes).id
	}
	if reflect.DeepEqual(a.views[member], nodes) {
		return
	}
	a.views[member] = nodes
	if !slices.ContainsFunc(a.views, func(nodes []node) bool { return nodes != nil }) {
		return
	}
	last, next := a.now.Load(), layoutOf(a.members, a.ids, a.views)
	if last.owners == next.owners && last.foreign == next.foreign && maps.Equal(last.places, next.places) {
		return
	}
	a.now.Store(next)
	a.shards.Learn(next.owners[:])
	close(last.over)
}

// layoutOf puts the views together. Of two claims to a slot, the one with the higher epoch holds: a member that is cut
// off, or was, knows only an old one.
func layoutOf(members, ids []string, views [][]node) *layout {
	l := &layout{places: map[string]int{}, over: make(chan struct{})}
	for slot := range l.owners {
		l.owners[slot] = nobody
	}
	for member, address := range members {
		l.places[address] = member
	}
	l.place(views, func(n *node) (int, bool) { member := slices.Index(ids, n.id); return member, member >= 0 })
	l.place(views, func(n *node) (int, bool) { return l.memberOf(n, ids) })
	var claimed [slotCount]bool
	var epochs [slotCount]uint64
	for _, nodes := range views {
		for i := range nodes {
			n := &nodes[i]
			if !n.primary || n.handshake {
				continue
			}
			owner, known := l.memberOf(n, ids)
			if !known && len(n.slots) > 0 {
				l.foreign = fmt.Sprint(n.addresses)
			}
			for _, span := range n.slots {
				for slot := span.first; slot <= span.last; slot++ {
					if !claimed[slot] || n.epoch > epochs[slot] {
						claimed[slot], epochs[slot], l.owners[slot] = true, n.epoch, int16(owner)
					}
				}
			}
		}
	}
	return l
}

// place adds the addresses of the nodes that are known to be a member. An address that is there already stays, so the
// surer source is called first.
func (l *layout) place(views [][]node, memberOf func(*node) (member int, known bool)) {
	for _, nodes := range views {
		for i := range nodes {
			member, known := memberOf(&nodes[i])
			if !known {
				continue
			}
			for _, address := range nodes[i].addresses {
				if _, there := l.places[address]; !there {
					l.places[address] = member
				}
			}
		}
	}
}

// memberOf is the member that a node is. It goes by the node's ID, or by its address while the member hasn't told its
// ID.
func (l *layout) memberOf(n *node, ids []string) (member int, known bool) {
	if member = slices.Index(ids, n.id); member >= 0 {
		return member, true
	}
	for _, address := range n.addresses {
		if member, known = l.places[address]; known {
			return member, true
		}
	}
	return nobody, false
}

// primaries are the members that have slots, ascending, if all slots have one.
func (l *layout) primaries() (members []int, all bool) {
	has := map[int]bool{}
	for _, owner := range l.owners {
		if owner == nobody {
			return nil, false
		}
		has[int(owner)] = true
	}
	return slices.Sorted(maps.Keys(has)), true
}

// whole waits until all slots have an owner, and returns the members that are one.
func (a *slotTable) whole(ctx context.Context) ([]int, error) {
	for {
		now := a.now.Load()
		if members, all := now.primaries(); all {
			return members, nil
		}
		select {
		case <-now.over:
		case <-ctx.Done():
			return nil, failed(stores.CodeNoPrimary, a.lost())
		}
	}
}

// lost is the error of an operation whose slot no member has.
func (a *slotTable) lost() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch foreign := a.now.Load().foreign; {
	case foreign != "":
		return fmt.Errorf("slots belong to the node at %s, which is none of %v: name all nodes of the cluster", foreign, a.members)
	case a.trouble != nil:
		return fmt.Errorf("no member has the slot: %w", a.trouble)
	}
	return errors.New("no member has the slot")
}

func (a *slotTable) close() {
	a.stop()
	a.all.Wait()
}
