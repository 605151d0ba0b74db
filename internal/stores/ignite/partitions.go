package ignite

// appendPartitions asks who owns the partitions of caches (Ignite's proposal IEP-23, "Best Effort
// Affinity for thin clients", https://cwiki.apache.org/confluence/display/IGNITE).
func appendPartitions(b *builder, number int64, caches []int32) {
	b.begin(kindPartitions, number)
	b.int32(int32(len(caches)))
	for _, cache := range caches {
		b.int32(cache)
	}
	b.end()
}

// maxPartitions is the most that Ignite allows.
const maxPartitions = 65_000

// ownership is who owns the partitions of some caches.
type ownership struct {
	caches []int32
	owners []uuid // by partition
}

// decodePartitions reads the answer to a question for so many caches. There are no more ownerships than
// that: each can be of many more bytes here than in the answer.
func decodePartitions(in input, caches int) (version, []ownership, error) {
	at := version{major: in.int64(), minor: in.int32()}
	var all []ownership
	found := in.count(1 + 4)
	if found > caches {
		in.short = true
	}
	for range found {
		if in.short {
			break
		}
		var own ownership
		partitioned := in.bool()
		for range in.count(4) {
			own.caches = append(own.caches, in.int32())
			if partitioned {
				in.take(8 * in.count(8)) // fields of keys that choose the partition
			}
		}
		if partitioned {
			own.readOwners(&in)
		}
		all = append(all, own)
	}
	return at, all, in.err()
}

func (o *ownership) readOwners(in *input) {
	for range in.count(17 + 4) {
		member := in.uuid()
		for range in.count(4) {
			partition := int(in.int32())
			if partition < 0 || partition >= maxPartitions {
				in.short = true
				return
			}
			for partition >= len(o.owners) {
				o.owners = append(o.owners, uuid{})
			}
			o.owners[partition] = member
		}
	}
}
