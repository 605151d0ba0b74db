package ignite

import (
	"sync/atomic"

	"github.com/kvbench/kvbench/internal/stores"
)

// unknown is no member of those that are named.
const unknown = -1

// table is the cache of a table. It is safe for concurrent use.
type table struct {
	name   string // the table's
	cache  string
	id     int32
	made   atomic.Bool             // the members have it
	making chan struct{}           // holds one while a session makes it
	places atomic.Pointer[[]int16] // the owner of each partition; nil until a member told
	shards stores.Shards
	owners []uuid // by partition, under the lookout's lock
}

// shard is that of a key of that hash; 0 while none is known.
func (t *table) shard(hash int32) uint8 {
	if places := t.places.Load(); places != nil && len(*places) > 0 {
		return t.shards.Of(partitionOf(hash, len(*places)))
	}
	return 0
}

// owner is the member that owns the key of that hash, or unknown.
func (t *table) owner(hash int32) int {
	places := t.places.Load()
	if places == nil || len(*places) == 0 {
		return unknown
	}
	return int((*places)[partitionOf(hash, len(*places))])
}
