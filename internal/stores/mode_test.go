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

func TestAModeSurvivesAMemberWhereOthersTakeItsPlace(t *testing.T) {
	elects, fixed := Mode{Leader: "leader"}, Mode{Leader: "primary", FixedLeader: true}
	shares, alone := Mode{SurvivesFrom: 6}, Mode{}
	for _, c := range []struct {
		mode  Mode
		nodes int
		want  bool
	}{
		{elects, 2, false}, {elects, 3, true}, {fixed, 9, false}, {shares, 5, false}, {shares, 6, true}, {alone, 9, false},
	} {
		if got := c.mode.Survives(c.nodes); got != c.want {
			t.Errorf("%+v with %d members: %v", c.mode, c.nodes, got)
		}
	}
}

func TestOneTableIsResetWhereItsKeysAreKnown(t *testing.T) {
	for _, c := range []struct {
		mode Mode
		want bool
	}{{Mode{}, false}, {Mode{ListsKeys: true}, true}, {Mode{Scan: ScanTokenOrdered}, true}} {
		if got := c.mode.ResetsOneTable(); got != c.want {
			t.Errorf("%+v: %v", c.mode, got)
		}
	}
}

func TestASettingMayTakeFromThePromise(t *testing.T) {
	mode := Mode{Promise: PromiseDurable, Weakenings: []Weakening{{"sync", "never", PromiseEventual}, {"sync", "always", PromiseLinearizable}}}
	for _, c := range []struct {
		values map[string]any
		want   Promise
	}{
		{nil, PromiseDurable},
		{map[string]any{"settings": map[string]any{"sync": "often"}}, PromiseDurable},
		{map[string]any{"settings": map[string]any{"sync": "never"}}, PromiseEventual},
		{map[string]any{"settings": map[string]any{"sync": "always"}}, PromiseDurable}, // it adds nothing
		{map[string]any{"settings": map[string]any{"sync": 1}}, PromiseDurable},
		{map[string]any{"settings": "never"}, PromiseDurable},
	} {
		if got := mode.PromiseWith(c.values); got != c.want {
			t.Errorf("%v: %s, want %s", c.values, got, c.want)
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
