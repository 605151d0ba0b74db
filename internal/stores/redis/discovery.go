package redis

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kvbench/kvbench/internal/stores"
)

// discovery knows which member is the primary. It asks all Sentinels all the time, each in a goroutine. So a session
// never asks, and never waits for a Sentinel that is away.
type discovery struct {
	members     []string            // the addresses that a primary can have
	credentials *stores.Credentials // of servers and Sentinels
	now         atomic.Pointer[sighting]
	inquiry     inquiry

	mu      sync.Mutex
	trouble error            // why nobody is known, as the last answer has it
	epochs  map[int]uint64   // that each Sentinel named last
	anew    map[int]struct{} // Sentinels that have begun anew since the primary was named
	stop    context.CancelFunc
	all     sync.WaitGroup
}

// sighting is a primary as the Sentinels named it.
type sighting struct {
	address string // "" until a Sentinel names one
	epoch   uint64
	over    chan struct{} // closed when another one is named
}

// newDiscovery begins to ask the Sentinels of the members. A member alone has no Sentinel: it is the primary.
func newDiscovery(members []string, credentials *stores.Credentials) (*discovery, error) {
	ctx, stop := context.WithCancel(context.Background())
	d := &discovery{members: members, credentials: credentials, stop: stop}
	first := &sighting{over: make(chan struct{})}
	d.now.Store(first)
	if len(members) == 1 {
		first.address = members[0]
		return d, nil
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
		d.all.Go(func() {
			d.inquiry.repeat(ctx, sentinel, func(ctx context.Context, sentinel *peer) {
				said, err := askSentinel(ctx, sentinel)
				d.hear(i, said, err)
			})
		})
	}
	return d, nil
}

// hear takes the answer of a Sentinel. It counts when its epoch is higher than the last one. A Sentinel that was away
// answers with a lower epoch. The same epoch says nothing new, or has the address of before, when the Sentinel was asked
// in the middle of a failover. Epochs begin anew when all Sentinels have lost their volumes.
func (d *discovery) hear(sentinel int, said word, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil && !slices.Contains(d.members, said.address) {
		err = fmt.Errorf("the Sentinels call %s the primary, which is none of %v: name the members as the Sentinels do", said.address, d.members)
	}
	if err != nil {
		d.trouble = err
		return
	}
	last := d.now.Load()
	allAnew := d.allAnew(sentinel, said.epoch, last.epoch)
	if last.address != "" && said.epoch <= last.epoch && !allAnew {
		return
	}
	clear(d.anew)
	d.now.Store(&sighting{address: said.address, epoch: said.epoch, over: make(chan struct{})})
	close(last.over)
}

// allAnew says whether the epochs of all Sentinels have gone back since the primary was named. Then no Sentinel knows of
// it any more.
func (d *discovery) allAnew(sentinel int, epoch, latest uint64) bool {
	if d.epochs == nil {
		d.epochs, d.anew = map[int]uint64{}, map[int]struct{}{}
	}
	switch {
	case epoch < d.epochs[sentinel]:
		d.anew[sentinel] = struct{}{}
	case epoch >= latest:
		delete(d.anew, sentinel) // another one has told it
	}
	d.epochs[sentinel] = epoch
	return len(d.anew) == len(d.members)
}

// nobody is the error of an operation that found no primary.
func (d *discovery) nobody() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.trouble == nil {
		return fmt.Errorf("no Sentinel of %v has answered in time", d.members)
	}
	return fmt.Errorf("no Sentinel names a primary: %w", d.trouble)
}

func (d *discovery) close() {
	d.stop()
	d.all.Wait()
}
