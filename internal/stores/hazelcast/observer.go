package hazelcast

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// observer asks each member whether it is there, and is told by it whom it sees.
type observer struct {
	members []*watched
}

type watched struct {
	name    string
	all     int        // members
	mu      sync.Mutex // samples may overlap
	link    *link
	request builder
	sees    int // members, itself among them
	tidings *tidings
	copies  *safety // nil in mode cp, which keeps nothing in partitions
	// viewed is what the member told last of the members, and of what they own.
	viewed struct{ members, partitions []byte }
}

// Observe connects when it is first asked.
func Observe(cfg stores.Config) (stores.Observer, error) {
	if len(cfg.Addresses) != len(cfg.Names) {
		return nil, fmt.Errorf("hazelcast: %d addresses for %d members", len(cfg.Addresses), len(cfg.Names))
	}
	o := observe(cfg)
	if cfg.Mode == ModeCP {
		return &cpObserver{observer: o, asked: map[uuid]bool{}}, nil
	}
	for i, member := range o.members {
		member.copies = newSafety(cfg.Addresses[i])
	}
	return o, nil
}

func observe(cfg stores.Config) *observer {
	o := &observer{}
	for i, name := range cfg.Names {
		address, cluster := cfg.Addresses[i], clusterOf(cfg)
		o.members = append(o.members, &watched{
			name: name, all: len(cfg.Names), link: newLink(address, cluster), tidings: newTidings(address, cluster),
		})
	}
	return o
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

// Usage is what the members last told of themselves. One that has told nothing since is left out.
func (o *observer) Usage(context.Context, time.Duration) []stores.Usage {
	return stores.GatherUsage(len(o.members), func(i int) *stores.Usage {
		member := o.members[i]
		member.tidings.listen()
		used := member.tidings.usage()
		if used != nil {
			used.Member = member.name
		}
		return used
	})
}

func (o *observer) Close() error {
	for _, member := range o.members { // all at once, as each may take a moment
		member.tidings.end()
		if member.copies != nil {
			member.copies.Stop()
		}
	}
	for _, member := range o.members {
		member.tidings.close()
		if member.copies != nil {
			member.copies.Close()
		}
		member.mu.Lock()
		member.link.drop()
		member.mu.Unlock()
	}
	return nil
}

// process is the name of the one that answered last.
func (w *watched) process() uuid {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.link.said.member
}

// state is that of a member.
func (w *watched) state(deadline time.Time) stores.MemberState {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.ask(deadline); err != nil {
		w.link.drop()
		w.sees = 0
		return stores.MemberState{Name: w.name, Role: stores.MemberUnknown, Error: codeOf(err)}
	}
	state := stores.MemberState{Name: w.name, Role: stores.MemberAlike, Healthy: healthy(w.sees, w.all, w.copies == nil || w.copies.Settled())}
	if w.sees > w.all {
		state.Error = stores.TooManyMembers(w.sees, w.all)
	}
	return state
}

// healthy is a member that sees a majority of all members, itself among them: where all are healthy they
// are one cluster, and the smaller side of a cluster that is parted isn't. Where all are there, the
// partitions have to have all of their copies: while one is away, the others are as well as they can be.
// Where it sees more than all, another cluster is measured than was asked for.
func healthy(sees, all int, settled bool) bool {
	return 2*sees > all && sees <= all && (sees < all || settled)
}

// ask sends a ping, and hears what the member told since the last one. The first time over a connection it
// asks for a view of the members as well, which comes before the answer to that request. A busy member may
// answer the ping before both.
func (w *watched) ask(deadline time.Time) error {
	if !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	w.request.out = w.request.out[:0]
	l := w.link
	isNew := l.Conn() == nil
	if isNew {
		l.Hurry() // a look at a fixed time waits for no better one
		if _, err := l.ready(deadline); err != nil {
			return err
		}
	}
	answered := l.last
	if isNew {
		w.sees = 0
		appendPlain(&w.request, kindClusterView, l.number())
	}
	if err := l.Conn().SetDeadline(deadline); err != nil {
		return err
	}
	appendPlain(&w.request, kindPing, l.number())
	if _, err := l.Conn().Write(w.request.out); err != nil {
		return err
	}
	for left := l.last - answered; left > 0; {
		m, err := l.in.next()
		switch {
		case err != nil:
			return err
		case m.kind() == kindError:
			return decodeError(m)
		case m.isEvent() && m.kind() == kindMembersView:
			w.view(&w.viewed.members, m)
			if w.sees, err = decodeMembers(m); err != nil {
				return err
			}
		case m.isEvent() && m.kind() == kindPartitionsView:
			w.view(&w.viewed.partitions, m)
		case m.isEvent():
		case m.correlation() <= answered:
			return fmt.Errorf("%w: another answer to request %d", errProtocol, m.correlation())
		default:
			left--
		}
	}
	return nil
}

// view notes that members, or what they own, are others than the last time. A new connection tells what is
// known, too: a look that came late is no change.
func (w *watched) view(last *[]byte, m *message) {
	now := m.appendContents(nil)
	if w.copies != nil && !bytes.Equal(now, *last) {
		w.copies.Upset()
	}
	*last = now
}
