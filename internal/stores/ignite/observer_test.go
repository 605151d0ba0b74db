package ignite

import (
	"fmt"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestWhoIsHealthy(t *testing.T) {
	for name, c := range map[string]struct {
		seen    view
		all     int
		settled bool
		want    bool
	}{
		"all are there":                         {view{true, 3}, 3, true, true},
		"all are there, with data on their way": {view{true, 3}, 3, false, false},
		"one is away, with data on their way":   {view{true, 2}, 3, false, true},
		"the smaller side":                      {view{true, 1}, 3, true, false},
		"more than the run names":               {view{true, 4}, 3, true, false},
		"half":                                  {view{true, 2}, 4, true, false},
		"an inactive cluster":                   {view{false, 3}, 3, true, false},
		"one alone":                             {view{true, 1}, 1, true, true},
	} {
		if got := healthy(c.seen, c.all, c.settled); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// balanced answers whether the cluster is rebalanced.
func balanced(word func() string) func(request, *builder) bool {
	return func(r request, reply *builder) bool {
		if r.kind != kindSQL {
			return acknowledge(r, reply)
		}
		beginReply(reply, r)
		reply.int64(1)
		reply.int32(1)
		reply.int32(1)
		reply.text(word())
		reply.bool(false)
		reply.end()
		return true
	}
}

func TestAMemberIsAskedForItsBalanceAfterEachChange(t *testing.T) {
	word := "true"
	f := newMember(t, 1, balanced(func() string { return word }))
	seen, err := Observe(stores.Config{Names: []string{"a"}, Addresses: []string{f.address}})
	if err != nil {
		t.Fatal(err)
	}
	defer seen.Close()
	is := func(healthy bool) func() bool {
		return func() bool {
			states := seen.Sample(t.Context(), time.Second)
			return states[0].Healthy == healthy && states[0].Role == stores.MemberAlike
		}
	}
	until(t, "balanced", is(true))
	asked := f.wasAsked(kindSQL)
	for range 20 {
		if !is(true)() {
			t.Fatal("not healthy any more")
		}
	}
	seen.(*observer).members[0].link.drop() // as after a look that came late
	if !is(true)() {
		t.Error("not healthy over a new connection")
	}
	if again := f.wasAsked(kindSQL); again != asked {
		t.Errorf("asked %d times without a change", again-asked)
	}
	f.set(func() { word = "false" })
	until(t, "not balanced", is(false))
	f.set(func() { word = "true" })
	until(t, "balanced again", is(true))
}

// repairing has what needs it repaired, which is to work, and says what was done.
func repairing(t *testing.T, seen stores.Observer) func() (did string) {
	return func() string {
		t.Helper()
		did, err := seen.(stores.Repairer).Repair(t.Context(), time.Second)
		if err != nil {
			t.Fatal(err)
		}
		return did
	}
}

func TestAClusterIsActivatedOnceAllMembersSeeEachOther(t *testing.T) {
	var all []*member
	cfg := stores.Config{Mode: ModeAtomicPersistent}
	for i := range 3 {
		f := newMember(t, uint64(i+1), acknowledge)
		f.set(func() { f.state, f.sees = 0, 3 })
		all = append(all, f)
		cfg.Names, cfg.Addresses = append(cfg.Names, fmt.Sprint(i)), append(cfg.Addresses, f.address)
	}
	all[2].set(func() { all[2].sees = 2 })
	seen, err := Observe(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer seen.Close()
	repair := repairing(t, seen)
	if did := repair(); did != "" {
		t.Errorf("%q while a member sees two", did)
	}
	all[2].set(func() { all[2].sees = 3 })
	if did := repair(); did == "" || all[0].wasAsked(kindChangeState) != 1 {
		t.Errorf("%q, asked %d times", did, all[0].wasAsked(kindChangeState))
	}
	for _, f := range all {
		f.set(func() { f.state = stateActive })
	}
	if did := repair(); did != "" || all[0].wasAsked(kindChangeState) != 1 {
		t.Errorf("%q of an active cluster", did)
	}
}

func TestAnActivationWhoseAnswerIsLostIsTold(t *testing.T) {
	f := newMember(t, 1, func(request, *builder) bool { return false })
	f.set(func() { f.state = 0 })
	seen, err := Observe(stores.Config{Mode: ModeAtomicPersistent, Names: []string{"a"}, Addresses: []string{f.address}})
	if err != nil {
		t.Fatal(err)
	}
	defer seen.Close()
	did, err := seen.(stores.Repairer).Repair(t.Context(), time.Second)
	if want := "activated the cluster, with all members in its baseline, perhaps: no answer said so"; did != want || err == nil || f.wasAsked(kindChangeState) != 1 {
		t.Errorf("%q, %v", did, err)
	}
}

func TestOnlyMembersWithDisksAreActivated(t *testing.T) {
	for _, mode := range Entry().Modes {
		seen, err := Observe(stores.Config{Mode: mode.Name, Names: []string{"a"}, Addresses: []string{"127.0.0.1:1"}})
		if err != nil {
			t.Fatal(err)
		}
		defer seen.Close()
		if _, repairs := seen.(stores.Repairer); repairs == mode.InMemory {
			t.Errorf("%s: a repairer %v", mode.Name, repairs)
		}
	}
}
