package redis

import "testing"

// The slots are Redis' own, as CLUSTER KEYSLOT of version 7.0 has them.
func TestAKeysSlotIsRedis(t *testing.T) {
	for key, want := range map[string]int{
		"": 0, "foo": 12182, "123456789": 12739, "usertable/user1": 3335, "\x00\xff": 7920,
		"{user1}.a": 8106, "user1": 8106, "a{user1}b{c}": 8106, "{}user1": 6971, "{user1": 6548, "a}{user1}": 8106,
	} {
		if got := slotOf([]byte(key)); got != want {
			t.Errorf("%q: %d, want %d", key, got, want)
		}
	}
}
