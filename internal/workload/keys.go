package workload

import (
	"math/bits"
	"strings"
)

// Hash64 is YCSB's fnv64: FNV-1a over the eight octets of v, low byte first, and Java's
// Math.abs of that. It is negative for one input alone, as Math.abs is.
func Hash64(v int64) int64 {
	octets := uint64(v)
	var hash int64
	if octets < 1<<40 {
		hash = int64(fnv1a(octets, 5) * fnvPrime3) // of an octet of 0, the product alone is left
	} else {
		hash = int64(fnv1a(octets, 8))
	}
	if hash < 0 {
		hash = -hash
	}
	return hash
}

// The prime of FNV-1a with 64 bits, and its powers modulo 2^64.
const (
	fnvPrime  = 1099511628211
	fnvPrime3 = fnvPrime * fnvPrime * fnvPrime % (1 << 64)
)

// fnv1a hashes the lowest n octets.
func fnv1a(octets uint64, n int) uint64 {
	hash := uint64(0xCBF29CE484222325)
	for range n {
		hash ^= octets & 0xff
		octets >>= 8
		hash *= fnvPrime
	}
	return hash
}

// AppendKey appends the key's name to dst.
func (s *Spec) AppendKey(dst []byte, number int64) []byte {
	switch {
	case s.OrderedInserts:
	case s.GoYCSBKeys:
		// go-ycsb hashes the octets of a key number in the other order.
		number = Hash64(int64(bits.ReverseBytes64(uint64(number))))
	default:
		number = Hash64(number)
	}
	dst = append(dst, "user"...)
	from := len(dst)
	dst = appendDecimal(dst, number)
	if missing := s.ZeroPadding - (len(dst) - from); missing > 0 {
		dst = append(dst, padding[:missing]...)
		copy(dst[from+missing:], dst[from:])
		copy(dst[from:], padding[:missing]) // before a sign as well, as in Java
	}
	return dst
}

var padding = strings.Repeat("0", maxPadding)
