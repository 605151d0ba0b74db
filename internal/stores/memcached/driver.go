package memcached

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// driver knows the members; sessions have the connections.
type driver struct {
	addresses   []string
	ttl         time.Duration
	shared      bool // others use the members as well
	credentials *stores.Credentials
}

// Open connects to nobody yet.
func Open(cfg stores.Config) (stores.Driver, error) {
	if cfg.Mode != "" && cfg.Mode != ModeSharded {
		return nil, fmt.Errorf("memcached: unknown mode %q: use %s", cfg.Mode, ModeSharded)
	}
	if len(cfg.Addresses) == 0 {
		return nil, errors.New("memcached: no member is named")
	}
	return &driver{addresses: cfg.Addresses, ttl: cfg.TTL, shared: cfg.Shared, credentials: cfg.Credentials}, nil
}

func (d *driver) NewSession() (stores.Session, error) {
	s := &session{ttl: d.ttl}
	for _, address := range d.addresses {
		s.links = append(s.links, newLink(address, d.credentials))
	}
	return s, nil
}

func (d *driver) Close() error { return nil }

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
	conn, _, err := connect(ctx, address, d.credentials)
	if err != nil {
		return err
	}
	defer conn.Close()
	// A deadline in the past ends what is under way when ctx does.
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	if _, err := conn.Write([]byte(command)); err != nil {
		return errors.Join(ctx.Err(), err)
	}
	line, err := readLine(bufio.NewReader(conn))
	if err != nil {
		return errors.Join(ctx.Err(), err)
	}
	if string(line) != want {
		return fmt.Errorf("answered %q", line)
	}
	return nil
}
