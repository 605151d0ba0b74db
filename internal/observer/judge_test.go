package observer

import (
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

// say builds a member from its name, role, leader and term.
func say(name, role, leader string, term uint64) stores.MemberState {
	return stores.MemberState{Name: name, Role: role, Leader: leader, Term: term, Healthy: leader != ""}
}

func TestJudgeByTheMajorityOfAllMembers(t *testing.T) {
	const lead, follow, learn, gone = stores.MemberLeader, stores.MemberFollower, stores.MemberLearner, stores.MemberUnknown
	for name, c := range map[string]struct {
		members []stores.MemberState
		want    Verdict
	}{
		"one member leads itself": {[]stores.MemberState{say("a", lead, "a", 2)}, Verdict{"a", 2, true}},
		"all follow one":          {[]stores.MemberState{say("a", follow, "b", 3), say("b", lead, "b", 3), say("c", follow, "b", 3)}, Verdict{"b", 3, true}},
		"a learner follows too":   {[]stores.MemberState{say("a", lead, "a", 3), say("b", follow, "a", 3), say("c", learn, "a", 3)}, Verdict{"a", 3, true}},
		"the leader was just killed, its followers don't know": {
			[]stores.MemberState{say("a", gone, "", 0), say("b", follow, "a", 3), say("c", follow, "a", 3)}, Verdict{"a", 3, false}},
		"they know and elect": {
			[]stores.MemberState{say("a", gone, "", 0), say("b", follow, "", 4), say("c", follow, "", 3)}, Verdict{"", 4, false}},
		"the new leader without the old": {
			[]stores.MemberState{say("a", gone, "", 0), say("b", lead, "b", 4), say("c", follow, "b", 4)}, Verdict{"b", 4, false}},
		"the old leader is cut off and doesn't know": {
			[]stores.MemberState{say("a", lead, "a", 3), say("b", lead, "b", 4), say("c", follow, "b", 4)}, Verdict{"b", 4, false}},
		"a minority names a leader": {
			[]stores.MemberState{say("a", lead, "a", 3), say("b", gone, "", 0), say("c", gone, "", 0)}, Verdict{"", 3, false}},
		"half of four is no majority": {
			[]stores.MemberState{say("a", lead, "a", 3), say("b", follow, "a", 3), say("c", gone, "", 0), say("d", gone, "", 0)}, Verdict{"", 3, false}},
		"one stands for election, the others follow": {
			[]stores.MemberState{say("a", lead, "a", 3), say("b", follow, "a", 3), say("c", follow, "", 4)}, Verdict{"a", 3, false}},
		"one knows of the new leader before the others": {
			[]stores.MemberState{say("a", gone, "a", 3), say("b", follow, "b", 4), say("c", follow, "a", 3)}, Verdict{"a", 3, false}},
		"one knows of it without its term": {
			[]stores.MemberState{say("a", gone, "b", 3), say("b", lead, "b", 4), say("c", follow, "a", 3)}, Verdict{"b", 4, false}},
		"a follower lags behind a term": {
			[]stores.MemberState{say("a", lead, "a", 5), say("b", follow, "a", 5), say("c", follow, "", 4)}, Verdict{"a", 5, false}},
		"all name one that doesn't lead": {
			[]stores.MemberState{say("a", follow, "a", 5), say("b", follow, "a", 5), say("c", follow, "a", 5)}, Verdict{"a", 5, false}},
		"healthy for itself, but unknown leader": {
			[]stores.MemberState{{Name: "a", Role: follow, Healthy: true, Term: 1}, {Name: "b", Role: follow, Healthy: true, Term: 1}, {Name: "c", Role: gone}}, Verdict{"", 1, false}},
		"nobody answers": {[]stores.MemberState{say("a", gone, "", 0), say("b", gone, "", 0), say("c", gone, "", 0)}, Verdict{"", 0, false}},
		"no member":      {nil, Verdict{}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Judge(true, c.members); got != c.want {
				t.Fatalf("%+v, want %+v", got, c.want)
			}
		})
	}
}

func TestWithoutConsensusSteadyIsHealthOfAll(t *testing.T) {
	up, down := stores.MemberState{Name: "a", Healthy: true}, stores.MemberState{Name: "b", Role: stores.MemberUnknown}
	if got := Judge(false, []stores.MemberState{up, up}); got != (Verdict{Steady: true}) {
		t.Errorf("all up: %+v", got)
	}
	if got := Judge(false, []stores.MemberState{up, down}); got != (Verdict{}) {
		t.Errorf("one down: %+v", got)
	}
}

func TestWithoutConsensusTheLeaderIsWhoSaysSo(t *testing.T) {
	lead := stores.MemberState{Name: "a", Role: stores.MemberLeader, Healthy: true, Term: 1, Leader: "a"}
	follow := stores.MemberState{Name: "b", Role: stores.MemberFollower, Healthy: true, Term: 1, Leader: "a"}
	away, other := stores.MemberState{Name: "a", Role: stores.MemberUnknown}, lead
	other.Name, other.Leader = "b", "b"
	for name, c := range map[string]struct {
		members []stores.MemberState
		want    Verdict
	}{
		"it and a follower":  {[]stores.MemberState{lead, follow}, Verdict{"a", 1, true}},
		"no follower":        {[]stores.MemberState{lead, {Name: "b", Role: stores.MemberUnknown}, {Name: "c", Role: stores.MemberUnknown}}, Verdict{"a", 1, false}},
		"it is away":         {[]stores.MemberState{away, follow}, Verdict{"", 1, false}},
		"two of them say so": {[]stores.MemberState{lead, other}, Verdict{"", 1, false}},
	} {
		if got := Judge(false, c.members); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestTopologyChangesWithRolesNotWithCommits(t *testing.T) {
	base := stores.MemberState{Name: "a", Role: stores.MemberFollower, Healthy: true, Term: 3, Commit: 10, Leader: "b"}
	unreachable := stores.MemberState{Name: "a", Role: stores.MemberUnknown, Error: "Unavailable"}
	for name, c := range map[string]struct {
		from   stores.MemberState
		change func(*stores.MemberState)
		same   bool
	}{
		"nothing":                   {base, func(*stores.MemberState) {}, true},
		"the commit index":          {base, func(m *stores.MemberState) { m.Commit++ }, true},
		"the number of records":     {base, func(m *stores.MemberState) { m.Records = new(uint64) }, true},
		"how it is unreachable":     {unreachable, func(m *stores.MemberState) { m.Error = "DeadlineExceeded" }, true},
		"the process":               {base, func(m *stores.MemberState) { m.Process = 8 }, false},
		"the term":                  {base, func(m *stores.MemberState) { m.Term++ }, false},
		"the role":                  {base, func(m *stores.MemberState) { m.Role = stores.MemberLeader }, false},
		"the leader":                {base, func(m *stores.MemberState) { m.Leader = "" }, false},
		"the health":                {base, func(m *stores.MemberState) { m.Healthy = false }, false},
		"an alarm":                  {base, func(m *stores.MemberState) { m.Error = "alarm:NOSPACE" }, false},
		"a member that comes back ": {unreachable, func(m *stores.MemberState) { *m = base }, false},
	} {
		t.Run(name, func(t *testing.T) {
			to := c.from
			c.change(&to)
			if got := sameTopology([]stores.MemberState{c.from}, []stores.MemberState{to}); got != c.same {
				t.Fatalf("same: %v", got)
			}
		})
	}
}
