package redis

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	client "github.com/redis/go-redis/v9"

	"github.com/kvbench/kvbench/internal/stores"
)

// resetChunk is how many names one request of Reset looks at, and removes at most.
const resetChunk = 1000

// driver knows the primary; sessions have the connections.
type driver struct {
	lookout  *lookout
	replicas int  // that have to acknowledge a write
	shared   bool // others use the servers as well
}

// Open begins to ask the Sentinels, or a cluster's members, and connects to nobody else yet.
func Open(cfg stores.Config) (stores.Driver, error) {
	entry := Entry()
	mode, ok := entry.FindMode(cfg.Mode)
	if !ok {
		return nil, fmt.Errorf("redis: unknown mode %q: use one of %s", cfg.Mode, strings.Join(entry.ModeNames(), ", "))
	}
	if len(cfg.Addresses) == 0 {
		return nil, errors.New("redis: no member is named")
	}
	if !mode.CanHave(len(cfg.Addresses)) {
		return nil, fmt.Errorf("redis: mode %s is for %s members, and %d are named: name them all, or use mode %s", mode.Name, mode.DescribeNodes(), len(cfg.Addresses), ModeAsync)
	}
	if mode.Name == ModeCluster {
		return &clusterDriver{atlas: newAtlas(cfg.Addresses, cfg.Credentials)}, nil
	}
	lookout, err := newLookout(cfg.Addresses, cfg.Credentials)
	if err != nil {
		return nil, err
	}
	return &driver{lookout: lookout, replicas: replicas(mode.Name, len(cfg.Addresses)), shared: cfg.Shared}, nil
}

func (d *driver) NewSession() (stores.Session, error) { return d.session(), nil }

func (d *driver) session() *session { return &session{lookout: d.lookout, replicas: d.replicas} }

func (d *driver) Close() error {
	d.lookout.close()
	return nil
}

// Ping asks the primary, and that enough replicas follow it for the mode's writes.
func (d *driver) Ping(ctx context.Context) error {
	s := d.session()
	defer s.Close()
	if err := s.find(ctx); err != nil {
		return fmt.Errorf("ping: %w", err)
	}
	if d.replicas == 0 {
		return wrap("ping", s.peer.use().Ping(ctx).Err())
	}
	following, err := s.peer.use().Do(ctx, "WAIT", d.replicas, waitMillis(ctx)).Int()
	if err != nil {
		return wrap("ping", err)
	}
	if following < d.replicas {
		return fmt.Errorf("redis: ping: %d replicas follow %s, and the mode's writes wait for %d", following, s.peer.address, d.replicas)
	}
	return nil
}

// Reset looks at all names, since a record that an update has made anew, after it was deleted, is
// not in the table's index.
func (d *driver) Reset(ctx context.Context, table string) error {
	prefix, err := prefixOf(table, false)
	if err != nil {
		return err
	}
	s := d.session()
	defer s.Close()
	if err := s.find(ctx); err != nil {
		return fmt.Errorf("reset table %s: %w", table, err)
	}
	if d.shared && prefix == "" {
		return wrap("reset table "+table, resetIndexed(ctx, s.peer.use()))
	}
	for cursor := uint64(0); ; {
		names, next, err := s.peer.use().Scan(ctx, cursor, "", resetChunk).Result()
		if err != nil {
			return wrap("list table "+table, err)
		}
		unlink := []any{"UNLINK"}
		for _, name := range names {
			if belongs(name, prefix) {
				unlink = append(unlink, name)
			}
		}
		if len(unlink) > 1 {
			if err := s.peer.use().Do(ctx, unlink...).Err(); err != nil {
				return wrap("delete from table "+table, err)
			}
		}
		if cursor = next; cursor == 0 {
			return nil
		}
	}
}

// resetIndexed removes what the index of YCSB's table has, and leaves all other names alone: nothing
// in a name says that it is of that table.
func resetIndexed(ctx context.Context, server *client.Client) error {
	for {
		keys, err := server.ZRange(ctx, indexName, 0, resetChunk-1).Result()
		if err != nil || len(keys) == 0 {
			return err
		}
		names := make([]any, len(keys))
		for i, key := range keys {
			names[i] = key
		}
		// In this order a reset that is broken off leaves nothing that no index has.
		if err := server.Unlink(ctx, keys...).Err(); err != nil {
			return err
		}
		if err := server.ZRem(ctx, indexName, names...).Err(); err != nil {
			return err
		}
	}
}

func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("redis: %s: %w", what, err)
}

// waitMillis is WAIT's own timeout: so much less than what is left that its answer, which says
// how many there were, comes before the deadline. 0 would be for ever.
func waitMillis(ctx context.Context) int64 {
	deadline, ok := ctx.Deadline()
	if !ok {
		return askTimeout.Milliseconds()
	}
	return max(1, (time.Until(deadline) * 9 / 10).Milliseconds())
}
