package workload

import (
	"math/bits"
	"strconv"
)

// Hash64 is YCSB's fnv64: FNV-1a over the eight octets of v, low byte first, and Java's
// Math.abs of that. It is negative for one input alone, as Math.abs is.
func Hash64(v int64) int64 {
	octets := uint64(v)
	hash := uint64(0xCBF29CE484222325)
	for range 8 {
		hash ^= octets & 0xff
		octets >>= 8
		hash *= 1099511628211
	}
	if signed := int64(hash); signed < 0 {
		return -signed
	}
	return int64(hash)
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
	// Counting digits costs more than writing them: only where there may be zeros.
	if s.ZeroPadding > 1 {
		for digits := countDigits(number); digits < s.ZeroPadding; digits++ {
			dst = append(dst, '0')
		}
	}
	return strconv.AppendInt(dst, number, 10)
}

// countDigits is the length of the number in decimal, a sign included.
func countDigits(number int64) int {
	digits := 1
	if number < 0 {
		digits++
	}
	for rest := number / 10; rest != 0; rest /= 10 {
		digits++
	}
	return digits
}
