package cassandra

import (
	"context"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/kvbench/kvbench/internal/stores"
)

// Usage asks all members at once what their tables take on the disk, of which each is counted
// in whole MiB. Their processor time, memory and collector Cassandra tells over JMX alone.
func (o *observer) Usage(ctx context.Context, timeout time.Duration) []stores.Usage {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return stores.GatherUsage(len(o.members), func(i int) *stores.Usage {
		client, err := o.members[i].connected(ctx)
		if err != nil {
			return nil
		}
		bytes, err := bytesOf(ctx, client)
		o.members[i].after(client, err)
		if err != nil {
			return nil
		}
		return &stores.Usage{Member: o.members[i].name, DataBytes: &bytes}
	})
}

func bytesOf(ctx context.Context, client *gocql.Session) (bytes int64, err error) {
	rows := client.Query("SELECT mebibytes FROM system_views.disk_usage").IterContext(ctx)
	for mebibytes := int64(0); rows.Scan(&mebibytes); {
		bytes += mebibytes << 20
	}
	return bytes, rows.Close()
}
