package cassandra

import (
	"strings"
	"testing"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
)

// heardOf makes the view of a member, by its number, that has heard these of each member.
func heardOf(member byte, peers ...peer) *view {
	v := &view{id: gocql.UUID{member}, peers: map[string]peer{}}
	for i, one := range peers {
		if one != (peer{}) {
			v.hear(gocql.UUID{byte(i)}.String(), one)
		}
	}
	return v
}

func TestAMemberIsHealthyThatSeesAllWhoAnswer(t *testing.T) {
	a, b, c := peer{100, 50, "NORMAL,-5"}, peer{110, 40, "NORMAL,7"}, peer{120, 30, "NORMAL,9"}
	late, former, leaving := c, c, c
	late.heartbeat, former.generation, leaving.status = 14, 60, "LEAVING,9"
	slow := c
	slow.heartbeat = 20
	open := heardOf(0, a)
	open.strangers = []string{"cassandra", "x"}
	for name, s := range map[string]struct {
		views []*view
		want  string // in what the first one complains of
	}{
		"all see all":                          {[]*view{heardOf(0, a, b, c), heardOf(1, a, b, c), heardOf(2, a, b, c)}, ""},
		"others may log in":                    {[]*view{open}, "lets others log in: cassandra, x"},
		"alone":                                {[]*view{heardOf(0, a)}, ""},
		"one is away":                          {[]*view{heardOf(0, a, b, late), heardOf(1, a, b, late), nil}, ""},
		"news take a moment":                   {[]*view{heardOf(0, a, b, slow), heardOf(1, a, b, c), heardOf(2, a, b, c)}, ""},
		"one answers, and it hears nothing":    {[]*view{heardOf(0, a, b, late), heardOf(1, a, b, c), heardOf(2, a, b, c)}, "not heard of m-2 for 16"},
		"one is back, and it knows it not":     {[]*view{heardOf(0, a, b, former), heardOf(1, a, b, c), heardOf(2, a, b, c)}, "m-2 since that started"},
		"one is there that it never knew":      {[]*view{heardOf(0, a, b), heardOf(1, a, b), heardOf(2, a, b, c)}, "m-2 since that started"},
		"one is on its way out":                {[]*view{heardOf(0, a, b, leaving), heardOf(1, a, b, c), heardOf(2, a, b, c)}, "m-2 for no normal member"},
		"the ring has one more":                {[]*view{heardOf(0, a, b, c), heardOf(1, a, b, c)}, "3 members, and the run names 2"},
		"it isn't one itself":                  {[]*view{heardOf(0, peer{100, 50, ""}, b, c), heardOf(1, a, b, c), heardOf(2, a, b, c)}, "it is no normal member"},
		"it knows nothing, not even of itself": {[]*view{heardOf(0)}, "it is no normal member"},
	} {
		got := s.views[0].complaint(s.views, []string{"m-0", "m-1", "m-2"})
		if s.want == "" && got != "" || !strings.Contains(got, s.want) {
			t.Errorf("%s: %q, want %q in it", name, got, s.want)
		}
	}
}

func TestOfTwoAddressesOfAMemberTheLaterCounts(t *testing.T) {
	former, now := peer{100, 900, "NORMAL,1"}, peer{200, 3, "NORMAL,1"}
	for _, order := range [][]peer{{former, now}, {now, former}} {
		v := &view{peers: map[string]peer{}}
		for _, one := range order {
			v.hear("id", one)
		}
		if v.peers["id"] != now {
			t.Errorf("%+v", v.peers["id"])
		}
	}
}
