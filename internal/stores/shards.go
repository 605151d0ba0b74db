package stores

import "sync/atomic"

// MaxShards is how many shards are told apart. Members beyond share them (ShardOf).
const MaxShards = 9

// ShardOf is the shard of the keys that a member had, by its place in Config.Names.
func ShardOf(member int) uint8 { return uint8(member%MaxShards) + 1 }

// Shards are the shards of a store's partitions, by the first table in which each partition has an owner. They
// are safe for concurrent use, and the zero value is ready.
type Shards struct{ of atomic.Pointer[[]uint8] }

// Learn takes a table of the partitions' owners, by their places in Config.Names; below 0 is none.
func (s *Shards) Learn(owners []int16) {
	if len(owners) == 0 || s.of.Load() != nil {
		return
	}
	of := make([]uint8, len(owners))
	for partition, owner := range owners {
		if owner < 0 {
			return
		}
		of[partition] = ShardOf(int(owner))
	}
	s.of.CompareAndSwap(nil, &of)
}

// Of is a partition's shard; 0 while no table was whole.
func (s *Shards) Of(partition int) uint8 {
	if of := s.of.Load(); of != nil && partition >= 0 && partition < len(*of) {
		return (*of)[partition]
	}
	return 0
}
