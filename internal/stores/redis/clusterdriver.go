package redis

import (
	"context"
	"fmt"
	"strings"

	client "github.com/redis/go-redis/v9"

	"github.com/kvbench/kvbench/internal/stores"
)

// clusterDriver knows who has which slots; sessions have the connections.
type clusterDriver struct{ atlas *atlas }

func (d *clusterDriver) NewSession() (stores.Session, error) { return d.session(), nil }

func (d *clusterDriver) session() *clusterSession {
	return &clusterSession{request: request{clustered: true}, atlas: d.atlas, peers: make([]*peer, len(d.atlas.members))}
}

func (d *clusterDriver) Close() error {
	d.atlas.close()
	return nil
}

// Ping asks all primaries, which have to have all slots, whether their cluster serves.
func (d *clusterDriver) Ping(ctx context.Context) error {
	return d.each(ctx, func(server *client.Client) error {
		text, err := server.ClusterInfo(ctx).Result()
		if err != nil {
			return wrap("ping", err)
		}
		if said := readCluster(text); !said.up {
			return fmt.Errorf("redis: ping: the cluster is down: %d of %d slots are served", said.served, slotCount)
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
	return d.each(ctx, func(server *client.Client) error {
		for cursor := uint64(0); ; {
			names, next, err := server.Scan(ctx, cursor, "", resetChunk).Result()
			if err != nil {
				return wrap("list table "+table, err)
			}
			pipe := server.Pipeline()
			for _, name := range names {
				if strings.HasPrefix(name, prefix) {
					pipe.Unlink(ctx, name)
				}
			}
			if pipe.Len() > 0 {
				if _, err := pipe.Exec(ctx); err != nil {
					return wrap("delete from table "+table, err)
				}
			}
			if cursor = next; cursor == 0 {
				return nil
			}
		}
	})
}

// each does something with each primary in turn, once they have all slots.
func (d *clusterDriver) each(ctx context.Context, do func(*client.Client) error) error {
	members, err := d.atlas.whole(ctx)
	if err != nil {
		return err
	}
	s := d.session()
	defer s.Close()
	for _, member := range members {
		if err := do(s.peerTo(member).use()); err != nil {
			return err
		}
	}
	return nil
}
