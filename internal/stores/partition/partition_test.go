package partition

import (
	"slices"
	"testing"
)

func TestOwnersHaveThePlacesOfTheirNames(t *testing.T) {
	for name, c := range map[string]struct {
		owners, names []string
		want          []int16
	}{
		"all are known":            {[]string{"b", "a", "b"}, []string{"a", "b"}, []int16{1, 0, 1}},
		"one isn't known yet":      {[]string{"b", "a"}, []string{"a", ""}, []int16{Unknown, 0}},
		"a partition has no owner": {[]string{"", "a"}, []string{"a", ""}, []int16{Unknown, 0}},
		"there are no partitions":  {nil, []string{"a"}, []int16{}},
	} {
		if got := Places(c.owners, c.names); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestMembersAreAskedForTheirNamesWhileAnOwnerIsUnknown(t *testing.T) {
	for name, c := range map[string]struct {
		owners []string
		names  []string
		want   []int
	}{
		"all owners are known":                 {[]string{"a", "b"}, []string{"a", "b", ""}, nil},
		"a member has another name since":      {[]string{"a", "c"}, []string{"a", "b"}, []int{1}},
		"a member has told no name":            {[]string{"a", "c"}, []string{"a", ""}, []int{1}},
		"a partition without an owner is none": {[]string{"a", ""}, []string{"a", ""}, nil},
	} {
		owners := map[string]bool{}
		for _, owner := range c.owners {
			owners[owner] = true
		}
		if got := Strangers(owners, c.names); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestATableKnowsNothingBeforeItLearns(t *testing.T) {
	var table Table
	if table.Len() != 0 || table.Owner(0) != Unknown {
		t.Errorf("%d partitions, of which the first is of %d", table.Len(), table.Owner(0))
	}
	table.Learn([]int16{1, Unknown})
	if table.Len() != 2 || table.Owner(0) != 1 || table.Owner(1) != Unknown || table.Owner(2) != Unknown {
		t.Errorf("%d partitions, of %d, %d and %d", table.Len(), table.Owner(0), table.Owner(1), table.Owner(2))
	}
	if table.Shard(0) != 0 {
		t.Error("a partition has a shard before all have an owner")
	}
	if table.Learn([]int16{1, 0}); table.Shard(0) == 0 || table.Shard(0) == table.Shard(1) {
		t.Errorf("the shards of two members are %d and %d", table.Shard(0), table.Shard(1))
	}
}
