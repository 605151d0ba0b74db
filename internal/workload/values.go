package workload

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"unicode/utf16"
)

// arenaBytes is how much random text a worker makes beforehand; values are cuts of it.
const arenaBytes = 1 << 20

// newArena makes printable random text: so much more than the longest value that there
// are as many cuts of it as arenaBytes.
func newArena(rng *rand.Rand, longest int64) []byte {
	arena := make([]byte, arenaBytes+longest)
	for i := range arena {
		arena[i] = byte(' ' + rng.Uint32N('~'-' '+1))
	}
	return arena
}

// AppendDeterministic appends YCSB's dataintegrity value of a field: key and field, then
// again and again a colon and Java's hash code of all so far, cut to size.
func AppendDeterministic(dst []byte, key []byte, field string, size int64) []byte {
	from := len(dst)
	dst = append(dst, key...)
	dst = append(dst, ':')
	dst = append(dst, field...)
	hash := javaHash(0, dst[from:])
	for int64(len(dst)-from) < size {
		at := len(dst)
		dst = append(dst, ':')
		hash = javaHash(hash, dst[at:])
		at = len(dst)
		dst = strconv.AppendInt(dst, int64(hash), 10)
		hash = javaHash(hash, dst[at:])
	}
	return dst[:from+int(size)]
}

// javaHash continues String.hashCode, which counts UTF-16 units. Keys and fields are
// ASCII; the slow way is there for what isn't.
func javaHash(hash int32, text []byte) int32 {
	for _, b := range text {
		if b >= 0x80 {
			for _, unit := range utf16.Encode([]rune(string(text))) {
				hash = 31*hash + int32(unit)
			}
			return hash
		}
	}
	for _, b := range text {
		hash = 31*hash + int32(b)
	}
	return hash
}

// IsDeterministic reports whether value is the field's dataintegrity value. scratch is
// returned for the next call.
func IsDeterministic(scratch, key []byte, field string, value []byte, size int64) (bool, []byte) {
	scratch = AppendDeterministic(scratch[:0], key, field, size)
	return bytes.Equal(scratch, value), scratch
}
