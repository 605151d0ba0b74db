package hazelcast

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// The values are those of the reference implementation
// (https://en.wikipedia.org/wiki/MurmurHash#Algorithm).
func TestMurmur3IsTheReference(t *testing.T) {
	for _, c := range []struct {
		text       string
		seed, want uint32
	}{
		{"", 0, 0}, {"", 1, 0x514e28b7}, {"", 0xffffffff, 0x81f16f39},
		{"test", 0, 0xba6bd213}, {"test", 0x9747b28c, 0x704b81dc},
		{"Hello, world!", 0, 0xc0363e43}, {"Hello, world!", 0x9747b28c, 0x24884cba},
		{"The quick brown fox jumps over the lazy dog", 0, 0x2e4ff723},
		{"The quick brown fox jumps over the lazy dog", 0x9747b28c, 0x2fa826cd},
	} {
		if got := murmur3([]byte(c.text), c.seed); got != c.want {
			t.Errorf("%q, seed %#x: %#x, want %#x", c.text, c.seed, got, c.want)
		}
	}
}

func TestKeysAreStringsThatSortAlike(t *testing.T) {
	keys := []string{"", "user", "user1", "user10", "user2", "~", "\x7f", "\x80", "\xc3\xa9", "\xff", "\xff\x00"}
	var texts []string
	for _, key := range keys {
		data := appendKey(nil, []byte(key))
		if !bytes.Equal(data[:8], []byte{0, 0, 0, 0, 0xff, 0xff, 0xff, 0xf5}) || int(data[11]) != len(data)-dataHeader {
			t.Errorf("%q: header %v of %d bytes", key, data[:dataHeader], len(data))
		}
		texts = append(texts, string(data[dataHeader:]))
	}
	if texts[2] != "user1" || !slices.IsSorted(texts) || len(slices.Compact(slices.Clone(texts))) != len(keys) {
		t.Errorf("%q", texts)
	}
}

func TestAPartitionIsOneOfThem(t *testing.T) {
	seen := map[int32]bool{}
	for i := range 1000 {
		partition := partitionOf(appendKey(nil, []byte(strings.Repeat("k", i))), testPartitions)
		if partition < 0 || partition >= testPartitions {
			t.Fatalf("partition %d", partition)
		}
		seen[partition] = true
	}
	if len(seen) != testPartitions {
		t.Errorf("%d of %d partitions have keys", len(seen), testPartitions)
	}
}

func TestAValueOfAnotherTypeIsRefused(t *testing.T) {
	value := endData(append(beginData(nil, typeByteArray), "abc"...))
	if got, err := valueOf(value); string(got) != "abc" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for name, data := range map[string][]byte{
		"a string": appendKey(nil, []byte("abc")), "cut": value[:len(value)-1], "nothing": nil, "more": append(slices.Clone(value), 0),
	} {
		if got, err := valueOf(data); err == nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}
