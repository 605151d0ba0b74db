package redis

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// A Sentinel, or a member of a cluster, is asked so often; one that is cut off is given up after a
// second and asked again.
const (
	askEvery   = 100 * time.Millisecond
	askTimeout = time.Second
)

// lookout knows who the primary is. It asks all Sentinels all the time, each in a goroutine, so
// that sessions need not ask, and none waits for one that is away.
type lookout struct {
	members     []string            // the addresses that a primary can have
	credentials *stores.Credentials // of servers and Sentinels
	now         atomic.Pointer[sighting]

	mu      sync.Mutex
	trouble error            // why nobody is known, as the last answer has it
	epochs  map[int]uint64   // that each Sentinel named last
	anew    map[int]struct{} // Sentinels that have begun anew since the primary was named
	stop    context.CancelFunc
	all     sync.WaitGroup
}

// sighting is a primary, until there is another one.
type sighting struct {
	address string // "" is nobody yet
	epoch   uint64
	over    chan struct{} // closed then
}

// newLookout asks the Sentinels of the members. A member alone has none, and is the primary.
func newLookout(members []string, credentials *stores.Credentials) (*lookout, error) {
	ctx, stop := context.WithCancel(context.Background())
	l := &lookout{members: members, credentials: credentials, stop: stop}
	first := &sighting{over: make(chan struct{})}
	l.now.Store(first)
	if len(members) == 1 {
		first.address = members[0]
		return l, nil
	}
	var sentinels []*peer
	for _, member := range members {
		address, err := sentinelOf(member)
		if err != nil {
			stop()
			return nil, err
		}
		sentinels = append(sentinels, newPeer(address, credentials))
	}
	for i, sentinel := range sentinels {
		l.all.Go(func() {
			keepAsking(ctx, sentinel, func(ctx context.Context, sentinel *peer) {
				said, err := askSentinel(ctx, sentinel)
				l.hear(i, said, err)
			})
		})
	}
	return l, nil
}

// keepAsking asks again and again until ctx ends.
func keepAsking(ctx context.Context, p *peer, ask func(context.Context, *peer)) {
	defer p.drop()
	every := time.NewTicker(askEvery)
	defer every.Stop()
	for {
		once, cancel := context.WithTimeout(ctx, askTimeout)
		ask(once, p)
		cancel()
		select {
		case <-every.C:
		case <-ctx.Done():
			return
		}
	}
}

// hear takes a Sentinel's word. A lower epoch is of before; the same one again says nothing new,
// or is of an address that was asked for in the middle of a failover. Once all Sentinels have lost
// what they knew, with their volumes, epochs begin anew.
func (l *lookout) hear(sentinel int, said word, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil && !slices.Contains(l.members, said.address) {
		err = fmt.Errorf("the Sentinels call %s the primary, which is none of %v: name the members as the Sentinels do", said.address, l.members)
	}
	if err != nil {
		l.trouble = err
		return
	}
	last := l.now.Load()
	allAnew := l.allAnew(sentinel, said.epoch, last.epoch)
	if last.address != "" && said.epoch <= last.epoch && !allAnew {
		return
	}
	clear(l.anew)
	l.now.Store(&sighting{address: said.address, epoch: said.epoch, over: make(chan struct{})})
	close(last.over)
}

// allAnew says whether the epochs of all Sentinels have gone back since the primary was named: none of
// them knows of it any more.
func (l *lookout) allAnew(sentinel int, epoch, latest uint64) bool {
	if l.epochs == nil {
		l.epochs, l.anew = map[int]uint64{}, map[int]struct{}{}
	}
	switch {
	case epoch < l.epochs[sentinel]:
		l.anew[sentinel] = struct{}{}
	case epoch >= latest:
		delete(l.anew, sentinel) // another one has told it
	}
	l.epochs[sentinel] = epoch
	return len(l.anew) == len(l.members)
}

// nobody is the error of an operation that found no primary.
func (l *lookout) nobody() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.trouble == nil {
		return fmt.Errorf("no Sentinel of %v has answered in time", l.members)
	}
	return fmt.Errorf("no Sentinel names a primary: %w", l.trouble)
}

func (l *lookout) close() {
	l.stop()
	l.all.Wait()
}
