package ignite

import (
	"context"
	"crypto/tls"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// balanceEvery is how often a member is asked whether all data are where they belong, while
	// they aren't: the answer makes it read all of its metrics.
	balanceEvery   = 500 * time.Millisecond
	balanceTimeout = 5 * time.Second
)

// balance knows whether the cluster's data are where they belong, as a member sees it. The member
// is asked after each change of the members, or of what they own, until it is so. It is safe for
// concurrent use.
type balance struct {
	link    *link
	changes atomic.Int64 // so many of them, and how many were over when it was so
	over    atomic.Int64
	wake    chan struct{}
	start   sync.Once
	stop    context.CancelFunc
	ctx     context.Context
	ended   sync.WaitGroup
}

func newBalance(address string, encryption *tls.Config) *balance {
	ctx, cancel := context.WithCancel(context.Background())
	return &balance{link: newLink(address, encryption, nil), wake: make(chan struct{}, 1), stop: cancel, ctx: ctx}
}

// upset notes a change.
func (b *balance) upset() {
	b.changes.Add(1)
	b.start.Do(func() { b.ended.Go(b.watch) })
	select {
	case b.wake <- struct{}{}:
	default: // it is awake
	}
}

// settled says that all data are where they belong since the last change.
func (b *balance) settled() bool { return b.over.Load() == b.changes.Load() }

func (b *balance) close() {
	b.stop()
	b.start.Do(func() {}) // or it would begin now
	b.ended.Wait()
	b.link.drop()
}

func (b *balance) watch() {
	again := time.NewTicker(balanceEvery)
	defer again.Stop()
	for {
		if b.settled() {
			select {
			case <-b.wake:
			case <-b.ctx.Done():
				return
			}
		}
		changes := b.changes.Load()
		if rebalanced, err := b.ask(); err == nil && rebalanced {
			b.over.Store(changes)
			continue
		}
		select {
		case <-again.C:
		case <-b.ctx.Done():
			return
		}
	}
}

// askRebalanced asks for Ignite's own word for it
// (https://ignite.apache.org/docs/latest/monitoring-metrics/new-metrics#cluster).
const askRebalanced = `SELECT VALUE FROM SYS.METRICS WHERE NAME = 'cluster.Rebalanced'`

func (b *balance) ask() (is bool, err error) {
	rows, err := b.link.query(b.ctx, askRebalanced, balanceTimeout)
	if err != nil {
		return false, err
	}
	if len(rows) != 1 {
		return false, fmt.Errorf("%w: %d values of one metric", errProtocol, len(rows))
	}
	return rows[0] == "true", nil
}
