package bundle

import (
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestALineIsDescribedForPeople(t *testing.T) {
	m0 := stores.MemberState{Name: "m-0", Role: stores.MemberFollower, Healthy: true}
	m1 := stores.MemberState{Name: "m-1", Role: stores.MemberUnknown, Error: "refused"}
	for want, line := range map[string]TopologyLine{
		`leader "m-0", term 3; m-0 follower`:                                  {Leader: "m-0", Term: 3, Members: []stores.MemberState{m0}},
		"no leader, term 3; m-0 follower; m-1 unknown (not healthy: refused)": {Term: 3, Members: []stores.MemberState{m0, m1}},
		"members without a leader; m-1 unknown (not healthy: refused)":        {Members: []stores.MemberState{m1}},
	} {
		if got := line.Describe(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
