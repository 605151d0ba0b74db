package hazelcast

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// adminTimeout bounds what has no deadline of its own.
const adminTimeout = 30 * time.Second

// driver knows the partitions; sessions have the connections.
type driver struct {
	conn.Sharing
	clusterView *clusterView
	ttl         time.Duration
}

// Open begins to ask the members for their partitions, and connects to nobody else yet.
func Open(cfg stores.Config) (stores.Driver, error) {
	entry := Entry()
	if _, ok := entry.FindMode(cfg.Mode); !ok {
		return nil, fmt.Errorf("hazelcast: unknown mode %q: use %s", cfg.Mode, strings.Join(entry.ModeNames(), ", "))
	}
	if len(cfg.Addresses) == 0 {
		return nil, errors.New("hazelcast: no member is named")
	}
	if cfg.Mode == ModeCP {
		return openCP(cfg)
	}
	d := &driver{clusterView: newClusterView(cfg.Addresses, clusterOf(cfg)), ttl: wholeSeconds(cfg.TTL)}
	if cfg.Connections > 0 {
		for member, address := range cfg.Addresses {
			opener := openerOf(address, d.clusterView.cluster, func(said authenticated) { d.clusterView.learn(member, said) })
			d.Share("hazelcast", []conn.Opener{opener}, cfg.Connections)
		}
	}
	return d, nil
}

func clusterOf(cfg stores.Config) string {
	return cmp.Or(cfg.Properties[clusterName], defaultClusterName)
}

// wholeSeconds rounds up to what Hazelcast counts in, and adds one, since the second under way
// counts in full: so no record goes early.
func wholeSeconds(ttl time.Duration) time.Duration {
	if ttl == 0 {
		return 0
	}
	return (ttl + time.Second - 1).Truncate(time.Second) + time.Second
}

func (d *driver) NewSession() (stores.Session, error) {
	s := d.session()
	if s.places = d.Groups(); s.places != nil {
		s.seat = newSeat()
	}
	return s, nil
}

func (d *driver) session() *session {
	s := &session{clusterView: d.clusterView, ttl: d.ttl}
	for _, address := range d.clusterView.addresses {
		s.links = append(s.links, newLink(address, d.clusterView.cluster))
	}
	return s
}

func (d *driver) Close() error {
	d.clusterView.close()
	d.End()
	return nil
}

// Ping succeeds when one member answers: each serves all keys, as those who own them.
func (d *driver) Ping(ctx context.Context) error {
	return d.any(ctx, "ping", func(b *builder, number int64) { appendPlain(b, kindPing, number) })
}

// Reset removes all entries of the table's map.
func (d *driver) Reset(ctx context.Context, table string) error {
	if err := checkTable(table); err != nil {
		return err
	}
	return d.any(ctx, "reset table "+table, func(b *builder, number int64) { appendClear(b, number, table) })
}

// any sends a request to the first member that a connection can be made to.
func (d *driver) any(ctx context.Context, what string, request func(*builder, int64)) error {
	deadline := stores.DeadlineOf(ctx, adminTimeout)
	links := d.session().links
	defer func() {
		for _, l := range links {
			l.drop()
		}
	}()
	failures := make([]error, len(links))
	var all sync.WaitGroup
	for i, l := range links {
		all.Go(func() { _, failures[i] = l.ready(minTime(deadline, time.Now().Add(dialTimeout))) })
	}
	all.Wait()
	for i, l := range links {
		if failures[i] != nil {
			continue
		}
		conn := l.Conn()
		defer context.AfterFunc(ctx, func() { conn.Close() })()
		if err := conn.SetDeadline(deadline); err != nil {
			return fmt.Errorf("hazelcast: %s: %w", what, err)
		}
		b := builder{}
		request(&b, l.number())
		if _, err := l.exchange(b.out); err != nil {
			return fmt.Errorf("hazelcast: %s: %s: %w", what, l.address, errors.Join(ctx.Err(), err))
		}
		return nil
	}
	return fmt.Errorf("hazelcast: %s: %w", what, errors.Join(failures...))
}

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
