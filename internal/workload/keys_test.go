package workload

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestKeyNamesAreThoseOfJavaYCSB(t *testing.T) {
	hashed := &Spec{ZeroPadding: 1}
	for number, want := range map[int64]string{
		0:       "user6284781860667377211",
		1:       "user8517097267634966620",
		2:       "user1820151046732198393",
		10:      "user2408371864701034737",
		255:     "user8064062821143829734",
		256:     "user2056600594528442646",
		999:     "user2071219101098386137",
		1000000: "user1011632231655643464",
	} {
		if got := string(hashed.AppendKey(nil, number)); got != want {
			t.Errorf("key %d = %s, want %s", number, got, want)
		}
	}
}

func TestTheHashIsFNV1aOfEightOctets(t *testing.T) {
	rng := NewRand(1, "", 0)
	check := func(v int64) {
		hash := fnv.New64a()
		_ = binary.Write(hash, binary.LittleEndian, v)
		if want := int64(hash.Sum64()); Hash64(v) != max(want, -want) {
			t.Fatalf("hash of %d = %d, want %d or its negative", v, Hash64(v), want)
		}
	}
	for bits := range 64 {
		for _, v := range []int64{1<<bits - 1, 1 << bits, int64(rng.Uint64() >> bits)} {
			check(v)
			check(-v)
		}
	}
}

func TestOrderedKeysArePaddedAndNotHashed(t *testing.T) {
	for _, c := range []struct {
		padding int
		number  int64
		want    string
	}{
		{1, 0, "user0"}, {0, 7, "user7"}, {4, 42, "user0042"}, {2, 12345, "user12345"},
		{12, 1 << 33, "user008589934592"}, {22, 1<<63 - 1, "user0009223372036854775807"}, {19, 1<<63 - 1, "user9223372036854775807"},
		{256, 5, "user" + strings.Repeat("0", 255) + "5"}, {24, -1 << 63, "user0000-9223372036854775808"},
	} {
		spec := &Spec{OrderedInserts: true, ZeroPadding: c.padding}
		if got := string(spec.AppendKey(nil, c.number)); got != c.want {
			t.Errorf("key %d padded to %d = %s, want %s", c.number, c.padding, got, c.want)
		}
	}
}

func TestKeysAreBuiltWithoutAllocating(t *testing.T) {
	spec, buffer := &Spec{ZeroPadding: 40}, make([]byte, 0, 64)
	if n := testing.AllocsPerRun(100, func() { buffer = spec.AppendKey(buffer[:0], 77) }); n != 0 {
		t.Errorf("%v allocations for a key", n)
	}
}

func TestDeterministicValuesAreThoseOfJavaYCSB(t *testing.T) {
	want := "user6284781860667377211:field0:-56807877:2032869390:-165488160:"
	got := string(AppendDeterministic(nil, []byte("user6284781860667377211"), "field0", 100))
	if !strings.HasPrefix(got, want) || len(got) != 100 {
		t.Errorf("value = %q (%d bytes), want it to begin with %q and have 100", got, len(got), want)
	}
	if got := string(AppendDeterministic(nil, []byte("user1"), "field0", 9)); got != "user1:fie" {
		t.Errorf("short value = %q", got)
	}
	if got := javaHash(0, []byte("héllo")); got != 103094734 {
		t.Errorf("hash beyond ASCII = %d", got)
	}
}

func TestArenaIsPrintableAndHoldsTheLongestValue(t *testing.T) {
	arena := newArena(rand.New(rand.NewPCG(1, 2)), 3<<20)
	if len(arena) != 4<<20 {
		t.Errorf("arena has %d bytes", len(arena))
	}
	for i, b := range arena {
		if b < ' ' || b > '~' {
			t.Fatalf("byte %d is %#x", i, b)
		}
	}
}
