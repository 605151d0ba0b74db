package ignite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// adminTimeout bounds what has no deadline of its own.
const adminTimeout = 30 * time.Second

// clockStep is what a member's clock, which it looks at now and then, may be late.
const clockStep = 100 * time.Millisecond

// driver knows the partitions; sessions have the connections.
type driver struct {
	conn.Sharing
	affinity *affinity
	mode     string
	ttl      time.Duration
	turns    []turns       // of logins, by member
	own      chan *session // the one for Ping and Reset; who takes it puts it back
}

// Open begins to ask the members for who owns what, and connects to nobody else yet.
func Open(cfg stores.Config) (stores.Driver, error) {
	entry := Entry()
	mode, ok := entry.FindMode(cfg.Mode)
	if !ok {
		return nil, fmt.Errorf("ignite: unknown mode %q: use %s", cfg.Mode, strings.Join(entry.ModeNames(), ", "))
	}
	if len(cfg.Addresses) == 0 {
		return nil, errors.New("ignite: no member is named")
	}
	d := &driver{affinity: newAffinity(cfg.Addresses, identity(cfg), prefixOf(mode.Name)), mode: mode.Name, own: make(chan *session, 1)}
	if cfg.TTL > 0 {
		d.ttl = cfg.TTL + clockStep // so no record goes early
	}
	for range cfg.Addresses {
		d.turns = append(d.turns, make(turns, loginsAtOnce))
	}
	d.own <- d.session()
	if cfg.Connections > 0 {
		d.share(cfg.Connections)
	}
	return d, nil
}

func (d *driver) NewSession() (stores.Session, error) {
	s := d.session()
	if s.places = d.Groups(); s.places != nil {
		s.seat = seat{conn.NewSeat(d.newAnswer())}
	}
	return s, nil
}

func (d *driver) session() *session {
	s := &session{affinity: d.affinity, mode: d.mode, ttl: d.ttl}
	for member, address := range d.affinity.addresses {
		l := newLink(address, d.affinity.who, d.affinity.moved)
		l.turns = d.turns[member]
		s.links = append(s.links, l)
	}
	return s
}

func (d *driver) Close() error {
	d.affinity.close()
	d.End()
	return (<-d.own).Close()
}

// Ping succeeds when one member answers, and says that the cluster takes writes: each serves all
// keys, as those who own them.
func (d *driver) Ping(ctx context.Context) error {
	return d.any(ctx, "ping", func(_ *session, l *link, _ time.Time) error { return l.serves() })
}

// Reset removes all entries of the table's cache.
func (d *driver) Reset(ctx context.Context, table string) error {
	if err := checkTable(table); err != nil {
		return fmt.Errorf("ignite: %w", err)
	}
	return d.any(ctx, "reset table "+table, func(s *session, l *link, deadline time.Time) error {
		if err := s.open(table, deadline); err != nil {
			return err
		}
		var request builder
		appendClear(&request, l.number(), s.table.id)
		_, err := l.exchange(request.out)
		return err
	})
}

// any does something with a connection to a member that one can be made to, until ctx ends.
func (d *driver) any(ctx context.Context, what string, do func(*session, *link, time.Time) error) error {
	deadline := stores.DeadlineOf(ctx, adminTimeout)
	var s *session
	select {
	case s = <-d.own:
		defer func() { d.own <- s }()
	case <-ctx.Done():
		return fmt.Errorf("ignite: %s: %w", what, ctx.Err())
	}
	member, err := s.anyone(0, deadline)
	if err != nil {
		return fmt.Errorf("ignite: %s: %w", what, err)
	}
	l := s.links[member]
	conn := l.Conn()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if err := do(s, l, deadline); err != nil {
		l.drop()
		return fmt.Errorf("ignite: %s: %s: %w", what, l.address, errors.Join(ctx.Err(), err))
	}
	return nil
}
