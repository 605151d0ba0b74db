package memcached

// owner is the member that has the key: the one with the highest score for it, so-called
// rendezvous hashing (Thaler and Ravishankar, 1998). All members get equal parts, and where
// there is one more, it takes its part from each of them. It needs no table, as the ring of
// ketama does, whose parts are equal to some per cent only.
//
// Members count by their place, so that runs with as many members place the same records
// alike. A member that is away keeps its keys: its operations fail meanwhile.
func owner(key []byte, members int) int {
	hash := uint64(14695981039346656037) // FNV-1a, 64 bits
	for _, b := range key {
		hash = (hash ^ uint64(b)) * 1099511628211
	}
	best, highest := 0, uint64(0)
	for member := range members {
		if score := mix(hash + uint64(member)*0x9e3779b97f4a7c15); score >= highest {
			best, highest = member, score
		}
	}
	return best
}

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
