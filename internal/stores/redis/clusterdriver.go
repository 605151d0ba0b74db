package redis

import (
	"context"
	"fmt"
	"strings"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// clusterDriver knows who has which slots; sessions have the connections.
type clusterDriver struct {
	atlas  *atlas
	counts conn.Counts
}

func (d *clusterDriver) NewSession() (stores.Session, error) { return d.session(), nil }

func (d *clusterDriver) session() *clusterSession {
	return &clusterSession{request: request{clustered: true}, atlas: d.atlas, counts: &d.counts, links: make([]*link, len(d.atlas.members))}
}

func (d *clusterDriver) Close() error {
	d.atlas.close()
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
	members, err := d.atlas.whole(ctx)
	if err != nil {
		return err
	}
	for _, member := range members {
		p := newPeer(d.atlas.members[member], d.atlas.credentials)
		err := do(p)
		p.drop()
		if err != nil {
			return wrap(what, err)
		}
	}
	return nil
}
