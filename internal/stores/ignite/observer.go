package ignite

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// observer asks each member whether it is there, whether its cluster is active, and how many
// members it sees.
type observer struct {
	members []*watched
}

// watched is a member that is looked at.
type watched struct {
	looker
	name    string
	all     int // members
	balance *balance
	told    place
}

// place is where a member says that its cluster is.
type place struct {
	member uuid
	at     version
}

// looker asks a member what it sees. It is safe for concurrent use, one after the other.
type looker struct {
	mu      sync.Mutex
	link    *link
	request builder
}

// view is a cluster as one of its members sees it.
type view struct {
	active  bool
	members int // itself among them
}

// Observe connects when it is first asked.
func Observe(cfg stores.Config) (stores.Observer, error) {
	if len(cfg.Addresses) != len(cfg.Names) {
		return nil, fmt.Errorf("ignite: %d addresses for %d members", len(cfg.Addresses), len(cfg.Names))
	}
	o, who := &observer{}, identity(cfg)
	for i, name := range cfg.Names {
		member := &watched{name: name, all: len(cfg.Names), balance: newBalance(cfg.Addresses[i], who)}
		member.link = newLink(cfg.Addresses[i], who, member.moved)
		o.members = append(o.members, member)
	}
	if strings.HasSuffix(cfg.Mode, persistentSuffix) {
		return newPersistentObserver(o, cfg), nil
	}
	return o, nil
}

// Sample asks all members at once.
func (o *observer) Sample(ctx context.Context, timeout time.Duration) []stores.MemberState {
	deadline := stores.DeadlineOf(ctx, timeout)
	states := make([]stores.MemberState, len(o.members))
	var all sync.WaitGroup
	for i, member := range o.members {
		all.Go(func() { states[i] = member.state(deadline) })
	}
	all.Wait()
	return states
}

func (o *observer) Close() error {
	for _, member := range o.members {
		member.balance.Stop() // all at once, as each may take a moment
	}
	for _, member := range o.members {
		member.balance.close()
		member.close()
	}
	return nil
}

// moved notes that the members, or what they own, are others. The first answer over a new connection tells
// what is known, too: a look that came late is no change.
func (w *watched) moved(at version) {
	if now := (place{w.link.member, at}); now != w.told {
		w.told = now
		w.balance.Upset()
	}
}

// state is that of a member.
func (w *watched) state(deadline time.Time) stores.MemberState {
	seen, err := w.look(deadline)
	if err != nil {
		return stores.MemberState{Name: w.name, Role: stores.MemberUnknown, Error: codeOf(err)}
	}
	state := stores.MemberState{Name: w.name, Role: stores.MemberAlike, Healthy: healthy(seen, w.all, w.balance.Settled())}
	if seen.members > w.all {
		state.Error = stores.TooManyMembers(seen.members, w.all)
	}
	return state
}

// healthy is a member of an active cluster that sees a majority of the members, itself among them:
// where all are healthy they are one cluster, and the smaller side of a cluster that is parted
// isn't. Where all are there, their data have to be where they belong: while one is away, the
// others are as well as they can be. Where there are more, another cluster is measured than was
// asked for.
func healthy(seen view, all int, settled bool) bool {
	return seen.active && 2*seen.members > all && seen.members <= all && (seen.members < all || settled)
}

// look asks the member for its view.
func (o *looker) look(deadline time.Time) (view, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	seen, err := o.ask(deadline)
	if err != nil {
		o.link.drop()
	}
	return seen, err
}

func (o *looker) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.link.close()
}

func (o *looker) ask(deadline time.Time) (seen view, err error) {
	if !time.Now().Before(deadline) {
		return view{}, context.DeadlineExceeded
	}
	l := o.link
	l.Hurry() // a look at a fixed time waits for no better one
	if _, err := l.ready(deadline); err != nil {
		return view{}, err
	}
	m, err := o.exchange(appendState)
	if err != nil {
		return view{}, err
	}
	if seen.active, err = decodeState(m.body); err != nil {
		return view{}, err
	}
	if m, err = o.exchange(appendNodes); err != nil {
		return view{}, err
	}
	seen.members, err = decodeNodes(m.body)
	return seen, err
}

func (o *looker) exchange(request func(*builder, int64)) (*message, error) {
	o.request.out = o.request.out[:0]
	request(&o.request, o.link.number())
	return o.link.exchange(o.request.out)
}
