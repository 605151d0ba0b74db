package hazelcast

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// Keys and values are Hazelcast's serialized strings and arrays of bytes: a hash for the
// partition (0, the content's own), the type, the length, the content. Here numbers are
// big-endian.
const (
	dataHeader = 12

	typeString    = -11
	typeByteArray = -12
)

func beginData(dst []byte, kind int32) []byte {
	dst = append(dst, 0, 0, 0, 0)
	dst = binary.BigEndian.AppendUint32(dst, uint32(kind))
	return append(dst, 0, 0, 0, 0)
}

func endData(data []byte) []byte {
	binary.BigEndian.PutUint32(data[8:], uint32(len(data)-dataHeader))
	return data
}

// appendKey makes a string of the key, each byte being one character: such strings sort as
// the keys do, and those of ASCII are the keys.
func appendKey(dst, key []byte) []byte {
	dst = beginData(dst, typeString)
	for _, b := range key {
		dst = utf8.AppendRune(dst, rune(b))
	}
	return endData(dst)
}

// valueOf is the content of an array of bytes.
func valueOf(data []byte) ([]byte, error) {
	if len(data) < dataHeader {
		return nil, fmt.Errorf("%w: a value of %d bytes", errProtocol, len(data))
	}
	if kind := int32(binary.BigEndian.Uint32(data[4:])); kind != typeByteArray {
		return nil, fmt.Errorf("the value has Hazelcast's type %d instead of %d: another program wrote it", kind, typeByteArray)
	}
	if length := binary.BigEndian.Uint32(data[8:]); uint64(length) != uint64(len(data)-dataHeader) {
		return nil, fmt.Errorf("%w: an array of %d bytes in %d", errProtocol, length, len(data)-dataHeader)
	}
	return data[dataHeader:], nil
}

// partitionOf is the partition that the serialized key belongs to, of so many.
func partitionOf(key []byte, count int32) int32 {
	hash := int32(murmur3(key[8:], partitionSeed))
	if hash == -1<<31 {
		return 0
	}
	if hash < 0 {
		hash = -hash
	}
	return hash % count
}

// partitionSeed is Hazelcast's.
const partitionSeed = 0x01000193

// murmur3 is MurmurHash3's x86 32-bit variant (Appleby, 2011).
func murmur3(data []byte, seed uint32) uint32 {
	const c1, c2 = 0xcc9e2d51, 0x1b873593
	h := seed
	mix := func(k uint32) uint32 {
		k *= c1
		return (k<<15 | k>>17) * c2
	}
	rest := data
	for ; len(rest) >= 4; rest = rest[4:] {
		h ^= mix(binary.LittleEndian.Uint32(rest))
		h = (h<<13|h>>19)*5 + 0xe6546b64
	}
	var tail uint32
	for i, b := range rest {
		tail |= uint32(b) << (8 * i)
	}
	if len(rest) > 0 {
		h ^= mix(tail)
	}
	h ^= uint32(len(data))
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}
