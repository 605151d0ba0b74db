package redis

import "testing"

func TestTheScoreIsJavasHash(t *testing.T) {
	for key, want := range map[string]int32{"": 0, "a": 97, "user1": 111578566, "user0000": -267609525, "user6284781860667377211": -594971599} {
		if got := score([]byte(key)); got != want {
			t.Errorf("%q: %d, want %d", key, got, want)
		}
	}
}

func TestNoTwoTablesShareAKey(t *testing.T) {
	for _, c := range []struct{ table, key, want string }{
		{"usertable", "user1", "user1"}, {"usertable", "t/user1", ""}, {"usertable", "_indices", ""},
		{"t", "user1", "t/user1"}, {"t", "a/b", "t/a/b"}, {"t", "_indices", ""},
	} {
		prefix, err := prefixOf(c.table, false)
		if err != nil {
			t.Fatal(err)
		}
		got, err := appendName(nil, prefix, []byte(c.key))
		if (err != nil) != (c.want == "") || err == nil && string(got) != c.want {
			t.Errorf("%s, %s: %q, %v", c.table, c.key, got, err)
		}
		for _, other := range []string{"usertable", "t", "tt"} {
			prefix, _ := prefixOf(other, false)
			if err == nil && belongs(string(got), prefix) != (other == c.table) {
				t.Errorf("%q belongs to %s: %v", got, other, other != c.table)
			}
		}
	}
	for _, table := range []string{"", "a/b", "/"} {
		if _, err := prefixOf(table, false); err == nil {
			t.Errorf("table %q", table)
		}
	}
}
