package memcached

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// driver knows the members; sessions have the connections.
type driver struct {
	addresses   []string
	ttl         time.Duration
	shared      bool // others use the members as well
	credentials *stores.Credentials
	counts      conn.Counts
	pool        *conn.Pool // nil: each session has connections of its own
}

// Open connects to nobody yet.
func Open(cfg stores.Config) (stores.Driver, error) {
	if cfg.Mode != "" && cfg.Mode != ModeSharded {
		return nil, fmt.Errorf("memcached: unknown mode %q: use %s", cfg.Mode, ModeSharded)
	}
	if len(cfg.Addresses) == 0 {
		return nil, errors.New("memcached: no member is named")
	}
	d := &driver{addresses: cfg.Addresses, ttl: cfg.TTL, shared: cfg.Shared, credentials: cfg.Credentials}
	if cfg.Connections > 0 {
		d.pool = conn.NewPool(d.dialer, &d.counts, cfg.Connections, conn.Depth)
	}
	return d, nil
}

func (d *driver) dialer(address string) conn.Dialer { return dialerOf(address, d.credentials) }

func (d *driver) NewSession() (stores.Session, error) {
	s := &session{driver: d, turn: conn.NewTurn()}
	for _, address := range d.addresses {
		s.own = append(s.own, conn.NewOwn(d.dialer(address).Dial, &d.counts))
		if d.pool != nil {
			s.shared = append(s.shared, d.pool.To(address))
		}
	}
	return s, nil
}

// Connections counts those of all sessions.
func (d *driver) Connections() stores.ConnectionCount { return d.counts.Now() }

// Places are those on the connections to the one member, if it is one.
func (d *driver) Places() int {
	if d.pool == nil || len(d.addresses) > 1 {
		return 0
	}
	return d.pool.Places()
}

// Connect makes the connections that sessions share.
func (d *driver) Connect(ctx context.Context) error {
	if d.pool == nil {
		return nil
	}
	return d.pool.Await(ctx, d.addresses...)
}

func (d *driver) Close() error {
	if d.pool != nil {
		d.pool.Close()
	}
	return nil
}

// Ping asks every member, since each has a part of the records.
func (d *driver) Ping(ctx context.Context) error { return d.all(ctx, "ping", "mn\r\n", "MN") }

// Reset empties every member, whatever the table: memcached can't list its keys.
func (d *driver) Reset(ctx context.Context, table string) error {
	if _, err := appendTable(nil, table); err != nil {
		return err
	}
	if d.shared {
		return errors.New("memcached: others use the members, and a reset would remove what they have: leave it out")
	}
	return d.all(ctx, "reset", "flush_all\r\n", "OK")
}

// all sends a command to all members at once, over connections of its own.
func (d *driver) all(ctx context.Context, what, command, want string) error {
	failures := make([]error, len(d.addresses))
	var group sync.WaitGroup
	for i, address := range d.addresses {
		group.Go(func() {
			if err := d.exchange(ctx, address, command, want); err != nil {
				failures[i] = fmt.Errorf("memcached: %s %s: %w", what, address, err)
			}
		})
	}
	group.Wait()
	return errors.Join(failures...)
}

func (d *driver) exchange(ctx context.Context, address, command, want string) error {
	made, err := d.dialer(address).Dial(ctx)
	if err != nil {
		return err
	}
	defer made.HangUp()
	// A deadline in the past ends what is under way when ctx does.
	defer context.AfterFunc(ctx, func() { _ = made.SetDeadline(time.Unix(1, 0)) })()
	line, err := exchange(made, command)
	if err != nil {
		return errors.Join(ctx.Err(), err)
	}
	if string(line) != want {
		return fmt.Errorf("answered %q", line)
	}
	return nil
}
