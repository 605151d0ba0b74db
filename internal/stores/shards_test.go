package stores

import "testing"

// A key stays in its shard when another member takes over.
func TestShardsAreOfTheFirstTableThatIsWhole(t *testing.T) {
	var shards Shards
	for _, c := range []struct {
		what   string
		owners []int16
		first  uint8
		last   uint8
	}{
		{"nobody told", nil, 0, 0},
		{"one has no owner", []int16{0, 1, -1}, 0, 0},
		{"all have one", []int16{0, 1, 11}, 1, 3},
		{"another took over", []int16{2, 2, 2}, 1, 3},
	} {
		shards.Learn(c.owners)
		if first, last := shards.Of(0), shards.Of(2); first != c.first || last != c.last {
			t.Errorf("%s: shards %d and %d, want %d and %d", c.what, first, last, c.first, c.last)
		}
	}
	if shards.Of(-1) != 0 || shards.Of(3) != 0 {
		t.Error("a partition that there isn't has a shard")
	}
}
