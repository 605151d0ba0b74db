package partition

import (
	"sync/atomic"

	"github.com/kvbench/kvbench/internal/stores"
)

// Unknown is the owner of a partition whose owner is none of the members that are known.
const Unknown = -1

// Table is the owner of each partition. It is safe for concurrent use. The zero value has no partitions.
type Table struct {
	owners atomic.Pointer[[]int16]
	shards stores.Shards
}

// Learn takes the place of each partition's owner among the members, or Unknown. It keeps owners.
func (t *Table) Learn(owners []int16) {
	t.owners.Store(&owners)
	t.shards.Learn(owners)
}

// Len is how many partitions there are; 0 until they are known.
func (t *Table) Len() int {
	if owners := t.owners.Load(); owners != nil {
		return len(*owners)
	}
	return 0
}

// Owner is the member that owns the partition, by its place, or Unknown.
func (t *Table) Owner(partition int) int {
	owners := t.owners.Load()
	if owners == nil || partition >= len(*owners) {
		return Unknown
	}
	return int((*owners)[partition])
}

// Shard is the shard of the partition (stores.Op).
func (t *Table) Shard(partition int) uint8 { return t.shards.Of(partition) }
