package postgresql

import (
	"context"
	"strconv"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// usageQuestion is one number: the bytes of all databases and of the log.
const usageQuestion = `SELECT (SELECT sum(pg_database_size(oid)) FROM pg_database) + (SELECT sum(size) FROM pg_ls_waldir())`

// Usage asks all members at once what their data take on the disk. Their processor time and
// memory PostgreSQL doesn't know: it is many processes.
func (o *observer) Usage(ctx context.Context, timeout time.Duration) []stores.Usage {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return stores.GatherUsage(len(o.meters), func(i int) *stores.Usage {
		said, err := o.meters[i].ask(ctx, usageQuestion, 1)
		if err != nil {
			return nil
		}
		size := bytesOf(said[0])
		if size == nil {
			return nil
		}
		return &stores.Usage{Member: o.meters[i].name, DataBytes: size}
	})
}

// bytesOf is nil for what is no size.
func bytesOf(text string) *int64 {
	size, err := strconv.ParseInt(text, 10, 64)
	if err != nil || size < 0 {
		return nil
	}
	return &size
}
