package redis

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
	"github.com/kvbench/kvbench/internal/stores/redis/resp"
)

// resetChunk is how many names one request of Reset looks at, and removes at most.
const resetChunk = 1000

// driver knows the primary; sessions have the connections.
type driver struct {
	discovery *discovery
	links     *links
	replicas  int  // that have to acknowledge a write
	shared    bool // others use the servers as well
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
		return &clusterDriver{slotTable: newSlotTable(cfg.Addresses, cfg.Credentials), links: newLinks(cfg.Credentials, cfg.Connections, conn.Depth)}, nil
	}
	discovery, err := newDiscovery(cfg.Addresses, cfg.Credentials)
	if err != nil {
		return nil, err
	}
	d := &driver{discovery: discovery, replicas: replicas(mode.Name, len(cfg.Addresses)), shared: cfg.Shared}
	depth := conn.Depth
	if d.replicas > 0 {
		depth = 1 // a connection that waits for replicas does nothing else meanwhile
	}
	d.links = newLinks(cfg.Credentials, cfg.Connections, depth)
	return d, nil
}

func (d *driver) NewSession() (stores.Session, error) { return d.session(), nil }

func (d *driver) session() *session {
	return &session{discovery: d.discovery, links: d.links, replicas: d.replicas}
}

// Connections counts those of all sessions.
func (d *driver) Connections() stores.ConnectionCount { return d.links.counts.Now() }

// Places are those on the connections to the primary.
func (d *driver) Places() int { return d.links.places() }

// Connect makes the connections that sessions share.
func (d *driver) Connect(ctx context.Context) error {
	if d.links.pool == nil {
		return nil
	}
	for {
		now := d.discovery.now.Load()
		if now.address != "" {
			return d.links.pool.Await(ctx, now.address)
		}
		select {
		case <-now.over:
		case <-ctx.Done():
			return failed(stores.CodeNoPrimary, d.discovery.nobody())
		}
	}
}

func (d *driver) Close() error {
	d.links.close()
	d.discovery.close()
	return nil
}

// Ping asks the primary, and that enough replicas follow it for the mode's writes.
func (d *driver) Ping(ctx context.Context) error {
	return d.ask(ctx, "ping", func(p *peer, address string) error {
		if d.replicas == 0 {
			_, err := p.ask(ctx, []string{"PING"})
			return err
		}
		patience := waitMillis(stores.DeadlineOf(ctx, adminTimeout))
		if _, err := p.ask(ctx, []string{"WAIT", strconv.Itoa(d.replicas), strconv.FormatInt(patience, 10)}); err != nil {
			return err
		}
		following, err := p.value(0).Number()
		if err == nil && following < int64(d.replicas) {
			err = fmt.Errorf("%d replicas follow %s, and the mode's writes wait for %d", following, address, d.replicas)
		}
		return err
	})
}

// ask does something with a connection to the primary, once there is one.
func (d *driver) ask(ctx context.Context, what string, do func(p *peer, address string) error) error {
	for {
		now := d.discovery.now.Load()
		if now.address != "" {
			p := newPeer(now.address, d.discovery.credentials)
			defer p.drop()
			return wrap(what, do(p, now.address))
		}
		select {
		case <-now.over:
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, failed(stores.CodeNoPrimary, d.discovery.nobody()))
		}
	}
}

// Reset looks at all names, since a record that an update has made anew, after it was deleted, is
// not in the table's index.
func (d *driver) Reset(ctx context.Context, table string) error {
	prefix, err := prefixOf(table, false)
	if err != nil {
		return err
	}
	return d.ask(ctx, "reset table "+table, func(p *peer, _ string) error {
		if d.shared && prefix == "" {
			return resetIndexed(ctx, p)
		}
		return p.eachName(ctx, func(names []string) error {
			unlink := []string{"UNLINK"}
			for _, name := range names {
				if belongs(name, prefix) {
					unlink = append(unlink, name)
				}
			}
			if len(unlink) == 1 {
				return nil
			}
			_, err := p.ask(ctx, unlink)
			return err
		})
	})
}

// eachName goes through all names of a server, some at a time.
func (p *peer) eachName(ctx context.Context, do func(names []string) error) error {
	for cursor := uint64(0); ; {
		if _, err := p.ask(ctx, []string{"SCAN", strconv.FormatUint(cursor, 10), "COUNT", strconv.Itoa(resetChunk)}); err != nil {
			return err
		}
		var names []string
		var err error
		if cursor, names, err = readNames(p.value(0)); err != nil {
			return err
		}
		if err := do(names); err != nil || cursor == 0 {
			return err
		}
	}
}

// readNames reads an answer of SCAN.
func readNames(answer resp.Value) (cursor uint64, names []string, err error) {
	items, ok := answer.List()
	if !ok || items.Left() != 2 {
		return 0, nil, errShape
	}
	first, _ := items.Next()
	if cursor, err = first.Unsigned(); err != nil {
		return 0, nil, err
	}
	second, _ := items.Next()
	names, err = second.Texts()
	return cursor, names, err
}

// resetIndexed removes what the index of YCSB's table has, and leaves all other names alone: nothing
// in a name says that it is of that table.
func resetIndexed(ctx context.Context, p *peer) error {
	for {
		if _, err := p.ask(ctx, []string{"ZRANGE", indexName, "0", strconv.Itoa(resetChunk - 1)}); err != nil {
			return err
		}
		keys, err := p.value(0).Texts()
		if err != nil || len(keys) == 0 {
			return err
		}
		// In this order a reset that is broken off leaves nothing that no index has.
		for _, command := range [][]string{{"UNLINK"}, {"ZREM", indexName}} {
			if _, err := p.ask(ctx, append(command, keys...)); err != nil {
				return err
			}
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
func waitMillis(deadline time.Time) int64 {
	return max(1, (time.Until(deadline) * 9 / 10).Milliseconds())
}
