package ignite

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// Java's answers, as jshell gives them for String.hashCode.
func TestTheHashIsJavas(t *testing.T) {
	for key, want := range map[string]int32{
		"": 0, "a": 97, "user1": 111578566, "user4052466453699787802": -1414300200, "\xff\x80": 8033, "Aa": 2112, "BB": 2112,
	} {
		if got := hashOf([]byte(key)); got != want {
			t.Errorf("%q: %d, want %d", key, got, want)
		}
	}
	if got := cacheID("atomic-usertable"); got != hashOf([]byte("atomic-usertable")) {
		t.Errorf("a cache of ASCII has the number %d", got)
	}
	if cacheID("") != 1 {
		t.Error("a number of 0 is no cache's")
	}
}

// Of a power of two the mask counts, of others the rest.
func TestAPartitionIsThatOfTheRendezvousFunction(t *testing.T) {
	for _, c := range []struct {
		hash        int32
		count, want int
	}{
		{0, 1024, 0}, {1023, 1024, 1023}, {1 << 16, 1024, 1}, {-1, 1024, 0}, {-1 << 31, 1024, 0}, {-1 << 31, 32768 * 2, 32768},
		{7, 5, 2}, {-7, 5, 2}, {-1 << 31, 1000, 648}, {12, 1, 0},
	} {
		if got := partitionOf(c.hash, c.count); got != c.want {
			t.Errorf("%d of %d partitions: %d, want %d", c.hash, c.count, got, c.want)
		}
	}
}

func TestKeysAreStringsThatSortAlike(t *testing.T) {
	keys := []string{"", "user", "user1", "user10", "user2", "~", "\x7f", "\x80", "\xc3\xa9", "\xff", "\xff\x00"}
	var texts []string
	for _, key := range keys {
		in := input{data: appendKey(nil, []byte(key))}
		text, there := in.object(typeString)
		if !there || in.err() != nil || len(in.data) > 0 {
			t.Errorf("%q: %v, %d bytes behind it", key, in.err(), len(in.data))
		}
		texts = append(texts, string(text))
	}
	if texts[2] != "user1" || !slices.IsSorted(texts) || len(slices.Compact(slices.Clone(texts))) != len(keys) {
		t.Errorf("%q", texts)
	}
}

func TestAValueOfAnotherTypeIsRefused(t *testing.T) {
	value := endValue(append(beginValue(nil), "abc"...))
	if got, there, err := (&input{data: value}).value(); string(got) != "abc" || !there || err != nil {
		t.Errorf("%q, %v, %v", got, there, err)
	}
	if _, there, err := (&input{data: []byte{typeNull}}).value(); there || err != nil {
		t.Errorf("null is there: %v, %v", there, err)
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"a string": {appendKey(nil, []byte("abc")), "another program wrote it"},
		"cut":      {value[:len(value)-1], "not Ignite's protocol"},
		"nothing":  {nil, "not Ignite's protocol"},
		"negative": {[]byte{typeByteArray, 0xff, 0xff, 0xff, 0xff}, "not Ignite's protocol"},
	} {
		if got, _, err := (&input{data: bytes.Clone(c.data)}).value(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q, %v, want %q in it", name, got, err, c.want)
		}
	}
}
