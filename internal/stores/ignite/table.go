package ignite

import (
	"sync/atomic"

	"github.com/kvbench/kvbench/internal/stores/partition"
)

// table is the cache of a table. It is safe for concurrent use.
type table struct {
	name   string // the table's
	cache  string
	id     int32
	made   atomic.Bool   // the members have it
	making chan struct{} // holds one while a session makes it
	places partition.Table
	owners []uuid // by partition, under the affinity's lock
}

// shard is that of a key of that hash; 0 while none is known.
func (t *table) shard(hash int32) uint8 {
	if count := t.places.Len(); count > 0 {
		return t.places.Shard(partitionOf(hash, count))
	}
	return 0
}

// owner is the member that owns the key of that hash, or partition.Unknown.
func (t *table) owner(hash int32) int {
	if count := t.places.Len(); count > 0 {
		return t.places.Owner(partitionOf(hash, count))
	}
	return partition.Unknown
}
