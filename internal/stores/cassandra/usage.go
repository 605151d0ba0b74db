package cassandra

import (
	"context"
	"errors"
	"strconv"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/kvbench/kvbench/internal/stores"
)

// Usage asks all members at once what their tables take on the disk, of which each is counted
// in whole MiB, and how long garbage collection stopped them, which their log has where it is the
// chart's. Their processor time and memory Cassandra tells over JMX alone.
func (o *observer) Usage(ctx context.Context, timeout time.Duration) []stores.Usage {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return stores.GatherUsage(len(o.members), func(i int) *stores.Usage {
		member := o.members[i]
		client, err := member.connected(ctx)
		if err != nil {
			return nil
		}
		used, err := member.usage(ctx, client, !o.shared)
		member.after(client, err)
		if err != nil {
			return nil
		}
		return used
	})
}

// usage is what the member tells; collects says whether its log may be read. What couldn't be read in
// time leaves nothing of the look: the next one has all that was counted since.
func (w *watched) usage(ctx context.Context, client *gocql.Session, collects bool) (*stores.Usage, error) {
	bytes, err := bytesOf(ctx, client)
	if err != nil {
		return nil, err
	}
	// It grows with each start.
	var generation int
	if err := client.Query("SELECT gossip_generation FROM system.local").ScanContext(ctx, &generation); err != nil {
		return nil, err
	}
	used := &stores.Usage{Member: w.name, DataBytes: &bytes, Process: stores.ProcessOf(strconv.Itoa(generation))}
	if !collects {
		return used, nil
	}
	w.collector.begin(used.Process)
	if !w.collector.unfit {
		var refused gocql.RequestError
		switch rows, err := logOf(ctx, client); {
		case errors.As(err, &refused) && refused.Code() == gocql.ErrCodeInvalid:
			w.collector.unfit = true // a chart of the run's own may have a Cassandra without such a log
		case err != nil:
			return nil, err
		default:
			w.collector.take(rows)
		}
	}
	used.CollectorMicros = w.collector.micros()
	return used, nil
}

func bytesOf(ctx context.Context, client *gocql.Session) (bytes int64, err error) {
	rows := client.Query("SELECT mebibytes FROM system_views.disk_usage").IterContext(ctx)
	for mebibytes := int64(0); rows.Scan(&mebibytes); {
		bytes += mebibytes << 20
	}
	return bytes, rows.Close()
}
