package ignite

import (
	"context"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

const (
	// balanceEvery is how often a member is asked whether all data are where they belong, while
	// they aren't: the answer makes it read all of its metrics.
	balanceEvery   = 500 * time.Millisecond
	balanceTimeout = 5 * time.Second
)

// balance knows whether the cluster's data are where they belong, as a member sees it, since the last
// change of the members, or of what they own.
type balance struct {
	*stores.Settling
	link *link
}

func newBalance(address string, who *stores.Credentials) *balance {
	b := &balance{link: newLink(address, who, nil)}
	b.Settling = stores.NewSettling(balanceEvery, 1, b.ask)
	return b
}

func (b *balance) close() {
	b.Close()
	b.link.close()
}

// askRebalanced asks for Ignite's own word for it
// (https://ignite.apache.org/docs/latest/monitoring-metrics/new-metrics#cluster).
const askRebalanced = `SELECT VALUE FROM SYS.METRICS WHERE NAME = 'cluster.Rebalanced'`

func (b *balance) ask(ctx context.Context) stores.Standing {
	rows, err := b.link.query(ctx, askRebalanced, balanceTimeout)
	if err == nil && len(rows) == 1 && rows[0] == "true" {
		return stores.Settled
	}
	return stores.Unsettled
}
