package ignite

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// headerBytes are an object's type and length.
const headerBytes = 5

// appendKey makes a string of the key, each byte being one character: such strings sort as the
// keys do, and those of ASCII are the keys.
func appendKey(dst, key []byte) []byte {
	dst = append(dst, typeString, 0, 0, 0, 0)
	begin := len(dst)
	for _, b := range key {
		dst = utf8.AppendRune(dst, rune(b))
	}
	binary.LittleEndian.PutUint32(dst[begin-bytesLength:], uint32(len(dst)-begin))
	return dst
}

// beginValue and endValue make an array of bytes of what is appended in between.
func beginValue(dst []byte) []byte { return append(dst, typeByteArray, 0, 0, 0, 0) }

func endValue(value []byte) []byte {
	binary.LittleEndian.PutUint32(value[1:], uint32(len(value)-headerBytes))
	return value
}

// hashOf is Java's hash of the key's string (java.lang.String.hashCode).
func hashOf(key []byte) int32 {
	var hash int32
	for _, b := range key {
		hash = 31*hash + int32(b)
	}
	return hash
}

// partitionOf is the partition that a key of that hash belongs to, of so many: that of Ignite's
// RendezvousAffinityFunction.calculatePartition.
func partitionOf(hash int32, count int) int {
	if count&(count-1) == 0 {
		return int((uint32(hash) ^ uint32(hash)>>16) & uint32(count-1))
	}
	rest := int(hash) % count
	return max(rest, -rest)
}

// cacheID is the number that requests name a cache by: Java's hash of its name, or 1.
func cacheID(name string) int32 {
	var hash int32
	for _, r := range name {
		hash = 31*hash + r
	}
	if hash == 0 {
		return 1
	}
	return hash
}

// value reads an array of bytes, and whether there is one.
func (in *input) value() (value []byte, there bool, err error) {
	if len(in.data) > 0 && in.data[0] != typeByteArray && in.data[0] != typeNull {
		return nil, false, fmt.Errorf("the value has Ignite's type %d instead of %d: another program wrote it", in.data[0], typeByteArray)
	}
	value, there = in.object(typeByteArray)
	return value, there, in.err()
}
