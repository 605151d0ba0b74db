package memcached

import (
	"fmt"
	"testing"
)

func key(i int) []byte { return fmt.Appendf(nil, "usertable/user%d", i*2654435761) }

func TestMembersGetEqualParts(t *testing.T) {
	const keys = 90_000
	for _, members := range []int{1, 2, 3, 5, 9} {
		counts := make([]int, members)
		for i := range keys {
			counts[owner(key(i), members)]++
		}
		for member, count := range counts {
			// Within 5 standard deviations of a fair draw, which are 500 of 10,000.
			if fair := keys / members; count < fair*95/100 || count > fair*105/100 {
				t.Errorf("member %d of %d has %d keys of %d", member, members, count, keys)
			}
		}
	}
}

func TestOneMoreMemberTakesItsPartAndNothingElseMoves(t *testing.T) {
	const keys = 10_000
	moved := 0
	for i := range keys {
		before, after := owner(key(i), 4), owner(key(i), 5)
		if before == after {
			continue
		}
		if moved++; after != 4 {
			t.Fatalf("key %d went from member %d to %d, not to the new one", i, before, after)
		}
	}
	if moved < keys/5*9/10 || moved > keys/5*11/10 {
		t.Errorf("%d of %d keys moved", moved, keys)
	}
}

// Reports of two versions are comparable only if records are where they were.
func TestPlacesNeverChange(t *testing.T) {
	for name, want := range map[string]int{
		"usertable/user6284781860667377211": 1,
		"usertable/user8517097267634966620": 0,
		"usertable/user1820151046732198393": 2,
		"":                                  0,
	} {
		if got := owner([]byte(name), 3); got != want {
			t.Errorf("%q: member %d, want %d", name, got, want)
		}
	}
}
