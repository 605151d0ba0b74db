package postgresql

import (
	"context"
	"strconv"
	"sync"
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
	sizes := make([]*int64, len(o.members))
	var all sync.WaitGroup
	for i, member := range o.members {
		all.Go(func() {
			if said, err := member.ask(ctx, usageQuestion, 1); err == nil {
				sizes[i] = bytesOf(said[0])
			}
		})
	}
	all.Wait()
	var told []stores.Usage
	for i, size := range sizes {
		if size != nil {
			told = append(told, stores.Usage{Member: o.members[i].name, DataBytes: size})
		}
	}
	return told
}

// bytesOf is nil for what is no size.
func bytesOf(text string) *int64 {
	size, err := strconv.ParseInt(text, 10, 64)
	if err != nil || size < 0 {
		return nil
	}
	return &size
}
