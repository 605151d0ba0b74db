package hazelcast

import "testing"

func TestAKeysShardIsTheMemberThatOwnedItFirst(t *testing.T) {
	l := &clusterView{names: []uuid{{low: 1}, {low: 2}}}
	key := appendKey(nil, []byte("user1"))
	if shard := l.shard(key); shard != 0 {
		t.Errorf("shard %d before a member told of partitions", shard)
	}
	l.count.Store(2)
	own := partitionOf(key, 2)
	for _, owners := range [][]uuid{{{low: 1}, {low: 2}}, {{low: 2}, {low: 2}}, {{low: 1}, {low: 1}}} {
		l.setOwners(owners)
		if shard := l.shard(key); shard != uint8(own)+1 {
			t.Errorf("shard %d of partition %d, owned by %v", shard, own, owners)
		}
	}
}
