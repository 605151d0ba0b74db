package postgresql

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

type driver struct {
	pool  *pool
	jsonb bool
}

// Open begins to connect where sessions share connections, and else connects to nobody yet.
func Open(cfg stores.Config) (stores.Driver, error) {
	_, jsonb, known := modeOf(cfg.Mode)
	if !known {
		return nil, fmt.Errorf("postgresql: unknown mode %q: use %s, %s, %s or %s", cfg.Mode, ModeAsync, ModeSync, ModeAsyncJSONB, ModeSyncJSONB)
	}
	configs, err := configsOf(cfg)
	if err != nil {
		return nil, err
	}
	return &driver{pool: newPool(primaryOf(configs), cfg.Connections), jsonb: jsonb}, nil
}

// NewSession has a connection made in the background, so that it is there when it is needed.
func (d *driver) NewSession() (stores.Session, error) {
	d.pool.join()
	return &session{pool: d.pool, jsonb: d.jsonb}, nil
}

// Connections counts those of all sessions.
func (d *driver) Connections() stores.ConnectionCount { return d.pool.counts.Now() }

// Places are one on each connection, those that are replaced included.
func (d *driver) Places() int { return 2 * d.pool.bound.most }

// Connect makes the connections that sessions share.
func (d *driver) Connect(ctx context.Context) error {
	if d.pool.bound.most == 0 {
		return nil
	}
	select {
	case <-d.pool.bound.enough:
		return nil
	case <-ctx.Done():
		d.pool.mu.Lock()
		defer d.pool.mu.Unlock()
		return errors.Join(ctx.Err(), d.pool.failure)
	}
}

func (d *driver) Close() error {
	d.pool.close()
	return nil
}

// Ping asks the primary.
func (d *driver) Ping(ctx context.Context) error { return d.command(ctx, "ping", "SELECT 1") }

// Reset empties the table. Its columns stay, and with them what others have prepared.
func (d *driver) Reset(ctx context.Context, table string) error {
	if err := checkNames(table, nil, d.jsonb); err != nil {
		return err
	}
	err := d.command(ctx, "empty table "+table, "TRUNCATE "+quote(table))
	if state, _ := stateOf(err); state == undefinedTable {
		return nil
	}
	return err
}

// longest is how long a command may take when nobody says.
const longest = time.Hour

func (d *driver) command(ctx context.Context, what, sql string) error {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(longest)
	}
	l, _, err := d.pool.take(deadline)
	if err == nil {
		// A deadline in the past ends what is under way when ctx does.
		stop := context.AfterFunc(ctx, func() { _ = l.conn.Conn().SetDeadline(time.Unix(1, 0)) })
		if l.ready(deadline) {
			err = l.exec(sql)
		} else {
			err = errors.New("the connection has ended")
		}
		if !stop() || !l.ready(time.Time{}) {
			d.pool.drop(l)
		} else {
			d.pool.give(l)
		}
	}
	if err != nil {
		return fmt.Errorf("postgresql: %s: %w", what, errors.Join(ctx.Err(), err))
	}
	return nil
}
