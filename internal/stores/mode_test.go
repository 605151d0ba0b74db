package stores

import "testing"

func TestNodesAreDescribedAsAPersonWould(t *testing.T) {
	for want, nodes := range map[string][]int{
		"1 to 9": UpTo(9), "3, 5 or 7": {3, 5, 7}, "3": {3}, "1 or 2": {1, 2}, "no": nil, "3 to 5": {3, 4, 5},
	} {
		mode := Mode{Nodes: nodes}
		if got := mode.DescribeNodes(); got != want {
			t.Errorf("%v: %q, want %q", nodes, got, want)
		}
	}
}

func TestOnlyALeaderThatIsReplacedIsElected(t *testing.T) {
	for _, c := range []struct {
		mode Mode
		want bool
	}{{Mode{}, false}, {Mode{Leader: "leader"}, true}, {Mode{Leader: "primary", FixedLeader: true}, false}} {
		if got := c.mode.Elects(); got != c.want {
			t.Errorf("%+v: %v", c.mode, got)
		}
	}
}

func TestEachPromiseIsNoMoreThanTheOneBefore(t *testing.T) {
	for _, c := range []struct {
		promise     Promise
		fresh, kept bool
	}{
		{PromiseLinearizable, true, true}, {PromiseDurable, false, true},
		{PromiseEventual, false, false}, {PromiseNone, false, false}, {"", false, false},
	} {
		if c.promise.ReadsAreFresh() != c.fresh || c.promise.KeepsAcknowledged() != c.kept {
			t.Errorf("%q: fresh %v, kept %v", c.promise, c.promise.ReadsAreFresh(), c.promise.KeepsAcknowledged())
		}
	}
}
