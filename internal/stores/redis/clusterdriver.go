package redis

import (
	"context"
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/internal/stores"
)

// clusterDriver knows who has which slots; sessions have the connections.
type clusterDriver struct {
	slotTable *slotTable
	links     *links
}

func (d *clusterDriver) NewSession() (stores.Session, error) { return d.session(), nil }

func (d *clusterDriver) session() *clusterSession {
	return &clusterSession{request: request{clustered: true}, slotTable: d.slotTable, links: d.links, members: make([]*link, len(d.slotTable.members))}
}

// Connections counts those of all sessions.
func (d *clusterDriver) Connections() stores.ConnectionCount { return d.links.counts.Now() }

// Places are those on the connections to the one member, if it is one.
func (d *clusterDriver) Places() int {
	if len(d.slotTable.members) > 1 {
		return 0
	}
	return d.links.places()
}

// Connect makes the connections to all primaries that sessions share.
func (d *clusterDriver) Connect(ctx context.Context) error {
	if d.links.pool == nil {
		return nil
	}
	members, err := d.slotTable.whole(ctx)
	if err != nil {
		return err
	}
	addresses := make([]string, len(members))
	for i, member := range members {
		addresses[i] = d.slotTable.members[member]
	}
	return d.links.pool.Await(ctx, addresses...)
}

func (d *clusterDriver) Close() error {
	d.links.close()
	d.slotTable.close()
	return nil
}

// Ping asks all primaries, which have to have all slots, whether their cluster serves.
func (d *clusterDriver) Ping(ctx context.Context) error {
	return d.each(ctx, "ping", func(p *peer) error {
		if _, err := p.ask(ctx, []string{"CLUSTER", "INFO"}); err != nil {
			return err
		}
		text, err := p.value(0).Text()
		if err != nil {
			return err
		}
		if said := readCluster(text); !said.up {
			return fmt.Errorf("the cluster is down: %d of %d slots are served", said.served, slotCount)
		}
		return nil
	})
}

// Reset looks at all names of all primaries. Names of several slots can't be removed by one command.
func (d *clusterDriver) Reset(ctx context.Context, table string) error {
	prefix, err := prefixOf(table, true)
	if err != nil {
		return err
	}
	return d.each(ctx, "reset table "+table, func(p *peer) error {
		return p.eachName(ctx, func(names []string) error {
			var commands [][]string
			for _, name := range names {
				if strings.HasPrefix(name, prefix) {
					commands = append(commands, []string{"UNLINK", name})
				}
			}
			if commands == nil {
				return nil
			}
			_, err := p.ask(ctx, commands...)
			return err
		})
	})
}

// each does something with each primary in turn, once they have all slots.
func (d *clusterDriver) each(ctx context.Context, what string, do func(*peer) error) error {
	members, err := d.slotTable.whole(ctx)
	if err != nil {
		return err
	}
	for _, member := range members {
		p := newPeer(d.slotTable.members[member], d.slotTable.credentials)
		err := do(p)
		p.drop()
		if err != nil {
			return wrap(what, err)
		}
	}
	return nil
}
