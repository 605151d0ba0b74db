package hazelcast

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/partition"
)

func openFor(t *testing.T, members ...*member) (*driver, *session) {
	t.Helper()
	var cfg stores.Config
	for _, f := range members {
		cfg.Addresses = append(cfg.Addresses, f.address)
	}
	opened, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	d := opened.(*driver)
	s := d.session()
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), d.Close()); err != nil {
			t.Error(err)
		}
	})
	return d, s
}

func opOf(kind stores.Kind, key string) *stores.Op {
	return &stores.Op{Kind: kind, Table: "t", Key: []byte(key), Deadline: time.Now().Add(10 * time.Second),
		Values: []stores.Field{{Name: "f", Value: []byte("v")}}}
}

func acknowledge(m *message, reply *builder) bool {
	beginReply(reply, m, 0)
	if m.kind() == kindMapGet || m.kind() == kindMapRemove {
		reply.null()
	}
	reply.end()
	return true
}

func TestARequestGoesToThePartitionsOwner(t *testing.T) {
	one, other := newMember(t, 1, acknowledge), newMember(t, 2, acknowledge)
	d, s := openFor(t, one, other)
	every := []int32{0, 1, 2, 3, 4, 5, 6}
	for what, owner := range map[string]*member{"one": one, "the other": other} {
		place := 0
		if owner == other {
			place = 1
		}
		view := partitionsView([]uuid{owner.name}, [][]int32{every})
		until(t, what+" owns all partitions", func() bool {
			one.tell(view)
			other.tell(view)
			return d.clusterView.table.Owner(0) == place
		})
		for i := range 50 {
			member, partition, err := routeOf(s, fmt.Sprint(i))
			if member != place || partition < 0 || partition >= testPartitions || err != nil {
				t.Fatalf("%s: member %d, partition %d, %v", what, member, partition, err)
			}
		}
		if err := s.Do(opOf(stores.Insert, "k")); err != nil || !owner.wasAsked(kindMapSet) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func routeOf(s *session, key string) (int, int32, error) {
	s.key = appendKey(s.key[:0], []byte(key))
	return s.route(time.Now().Add(10 * time.Second))
}

func TestAMemberThatIsAwayIsPassedOverWhileNobodyKnowsTheOwner(t *testing.T) {
	gone := newMember(t, 1, acknowledge)
	gone.address = "127.0.0.1:1"
	_, s := openFor(t, gone, newMember(t, 2, acknowledge))
	for i := range 20 {
		if err := s.Do(opOf(stores.Insert, fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnOwnerThatIsBackUnderAnotherNameIsKnownByIt(t *testing.T) {
	f := newMember(t, 1, acknowledge)
	d, _ := openFor(t, f)
	view := func(name uuid) []byte { return partitionsView([]uuid{name}, [][]int32{{0}}) }
	until(t, "the owner known", func() bool { f.tell(view(uuid{low: 1})); return d.clusterView.table.Owner(0) == 0 })
	f.tell(view(uuid{low: 9}))
	until(t, "the owner unknown", func() bool { return d.clusterView.table.Owner(0) == partition.Unknown })
	d.clusterView.learn(0, authenticated{member: uuid{low: 9}, partitions: testPartitions})
	if owner := d.clusterView.table.Owner(0); owner != 0 {
		t.Errorf("owner %d", owner)
	}
}

func TestWhatIsKnownOfAnOperationThatFailed(t *testing.T) {
	say := func(number int32) func(*message, *builder) bool {
		return func(m *message, reply *builder) bool { replyError(reply, m, number); return true }
	}
	hangUp := func(*message, *builder) bool { return false }
	for name, c := range map[string]struct {
		answer func(*message, *builder) bool
		kind   stores.Kind
		want   stores.Error
	}{
		"a read, and the connection ends":    {hangUp, stores.Read, stores.Error{Outcome: stores.Failed, Code: stores.CodeConnectionLost}},
		"a write, and the connection ends":   {hangUp, stores.Update, stores.Error{Outcome: stores.Unknown, Code: stores.CodeConnectionLost}},
		"a write whose member left":          {say(33), stores.Insert, stores.Error{Outcome: stores.Unknown, Code: "MemberLeft"}},
		"a write that was tried elsewhere":   {say(62), stores.Insert, stores.Error{Outcome: stores.Unknown, Code: "WrongTarget"}},
		"a delete with an unnamed exception": {say(48), stores.Delete, stores.Error{Outcome: stores.Unknown, Code: stores.CodeServerError}},
		"a write that is refused":            {say(23), stores.Insert, stores.Error{Outcome: stores.Failed, Code: stores.CodeServerError, Answered: true}},
		"a read with an exception":           {say(38), stores.Read, stores.Error{Outcome: stores.Failed, Code: "OperationTimeout"}},
		"a record that is not there":         {acknowledge, stores.Read, stores.Error{Outcome: stores.Failed, Code: stores.CodeNotFound, Answered: true}},
		"a scan of nothing":                  {acknowledge, stores.Scan, stores.Error{Outcome: stores.Failed, Code: stores.CodeBadOperation}},
		"an unknown operation":               {acknowledge, stores.ReadModifyWrite, stores.Error{Outcome: stores.Failed, Code: stores.CodeBadOperation}},
	} {
		t.Run(name, func(t *testing.T) {
			_, s := openFor(t, newMember(t, 1, c.answer))
			var got *stores.Error
			if err := s.Do(opOf(c.kind, "k")); !errors.As(err, &got) {
				t.Fatal(err)
			}
			if got.Outcome != c.want.Outcome || got.Code != c.want.Code || got.Answered != c.want.Answered {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

func TestAnswersOfABatchComeInAnyOrder(t *testing.T) {
	var held []byte
	f := newMember(t, 1, func(m *message, reply *builder) bool {
		var late builder
		acknowledge(m, &late)
		if held == nil { // the first answer comes behind the second
			held = late.out
			return true
		}
		late.out = append(late.out, held...)
		reply.out, held = late.out, nil
		return true
	})
	_, s := openFor(t, f)
	if err := s.InsertAll([]stores.Op{*opOf(stores.Insert, "a"), *opOf(stores.Insert, "b")}); err != nil {
		t.Fatal(err)
	}
}

func TestABatchWithOneFailureIsUnknown(t *testing.T) {
	count := 0
	_, s := openFor(t, newMember(t, 1, func(m *message, reply *builder) bool {
		if count++; count == 2 {
			replyError(reply, m, 33)
			return true
		}
		return acknowledge(m, reply)
	}))
	var got *stores.Error
	ops := []stores.Op{*opOf(stores.Insert, "a"), *opOf(stores.Insert, "b"), *opOf(stores.Insert, "c")}
	if err := s.InsertAll(ops); !errors.As(err, &got) || got.Outcome != stores.Unknown || got.Code != "MemberLeft" {
		t.Fatalf("%v", err)
	}
	// What is left of it is not taken for the next one's answer.
	if err := s.InsertAll(ops); err != nil {
		t.Fatal(err)
	}
}

// A scan is one statement, and so many requests as it has pages; the mapping is made once.
func TestAScanMakesItsMappingAndFetchesItsPages(t *testing.T) {
	mapped, pages := false, 0
	f := newMember(t, 1, func(m *message, reply *builder) bool {
		statement := string(m.frames[1].content)
		switch {
		case m.kind() == kindSQLFetch:
			pages++
			replyPage(reply, m, []string{"c"}, true)
		case strings.HasPrefix(statement, `CREATE MAPPING IF NOT EXISTS "t"`):
			mapped = true
			replyPage(reply, m, nil, true)
		case !mapped:
			replySQLError(reply, m, objectNotFound)
		default:
			pages++
			replyPage(reply, m, []string{"a", "b"}, false)
		}
		return true
	})
	_, s := openFor(t, f)
	op := opOf(stores.Scan, "a")
	op.Count, op.WantResult = 3, true
	if err := s.Do(op); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, field := range op.Result {
		got = append(got, string(field.Value))
	}
	if want := []string{"a", "b", "c"}; !slices.Equal(got, want) || pages != 2 {
		t.Errorf("%v in %d pages", got, pages)
	}
}

func TestAScanThatSQLRefusesFails(t *testing.T) {
	f := newMember(t, 1, func(m *message, reply *builder) bool { replySQLError(reply, m, 1001); return true })
	_, s := openFor(t, f)
	op := opOf(stores.Scan, "a")
	op.Count = 3
	var got *stores.Error
	if err := s.Do(op); !errors.As(err, &got) || got.Outcome != stores.Failed || got.Code != codeSQL {
		t.Errorf("%v", err)
	}
	// The connection is as good as before.
	if s.links[0].Conn() == nil {
		t.Error("the connection was given up")
	}
}

func TestATimeToLiveIsOfWholeSeconds(t *testing.T) {
	for ttl, want := range map[time.Duration]time.Duration{
		0: 0, time.Millisecond: 2 * time.Second, time.Second: 2 * time.Second, 1500 * time.Millisecond: 3 * time.Second,
	} {
		if got := wholeSeconds(ttl); got != want {
			t.Errorf("%v: %v, want %v", ttl, got, want)
		}
	}
}

func TestWhereAllAreThereTheirCopiesAreToo(t *testing.T) {
	for name, c := range map[string]struct {
		sees, all int
		settled   bool
		want      bool
	}{
		"all":                       {3, 3, true, true},
		"all, without their copies": {3, 3, false, false},
		"one is away":               {2, 3, false, true},
		"the smaller side":          {1, 3, true, false},
		"half":                      {2, 4, true, false},
		"more than all":             {4, 3, true, false},
		"one alone":                 {1, 1, true, true},
	} {
		if got := healthy(c.sees, c.all, c.settled); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAMemberIsHealthyAmongAMajority(t *testing.T) {
	f := newMember(t, 1, acknowledge)
	seen, err := Observe(stores.Config{Names: []string{"a", "b", "c"}, Addresses: []string{f.address, "127.0.0.1:1", "127.0.0.1:1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer seen.Close()
	for _, c := range []struct {
		sees    int
		healthy bool
	}{{1, false}, {2, true}, {3, true}, {4, false}, {2, true}, {1, false}} {
		until(t, fmt.Sprintf("%d members seen", c.sees), func() bool {
			states := seen.Sample(t.Context(), time.Second)
			f.tell(membersView(c.sees))
			return states[0].Healthy == c.healthy && states[0].Role == stores.MemberAlike && states[1].Role == stores.MemberUnknown && !states[2].Healthy
		})
	}
}

func TestAMemberIsHealthyInTheFirstLook(t *testing.T) {
	for _, isBusy := range []bool{false, true} {
		f := newMember(t, 1, acknowledge)
		f.view, f.isBusy = membersView(1), isBusy
		o := observe(stores.Config{Names: []string{"a"}, Addresses: []string{f.address}})
		defer o.Close()
		for range 3 {
			if state := o.Sample(t.Context(), 10*time.Second)[0]; !state.Healthy {
				t.Errorf("busy %v: %+v, want a healthy one", isBusy, state)
			}
			o.members[0].link.drop()
		}
	}
}

func TestAnAnswerThatNothingWasAskedForEndsTheConnection(t *testing.T) {
	f := newMember(t, 1, acknowledge)
	stray := builder{}
	beginReply(&stray, &message{frames: []frame{{content: make([]byte, offsetReply)}}}, 0)
	stray.end()
	f.view = append(membersView(1), stray.out...)
	o := observe(stores.Config{Names: []string{"a"}, Addresses: []string{f.address}})
	defer o.Close()
	if state := o.Sample(t.Context(), 10*time.Second)[0]; state.Role != stores.MemberUnknown || o.members[0].link.Conn() != nil {
		t.Errorf("%+v, want an unknown one", state)
	}
}

func TestANewConnectionIsNoChangeOfTheMembers(t *testing.T) {
	var asked atomic.Int64
	rest := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer rest.Close()
	f := newMember(t, 1, acknowledge)
	o := observe(stores.Config{Names: []string{"a"}, Addresses: []string{f.address}})
	defer o.Close()
	member := o.members[0]
	member.copies = newSafety(strings.TrimPrefix(rest.URL, "http://"))
	views := [][]byte{membersView(1), partitionsView([]uuid{f.name}, [][]int32{{0, 1, 2}})}
	well := func() bool {
		state := o.Sample(t.Context(), time.Second)[0]
		for _, view := range views {
			f.tell(view)
		}
		return state.Healthy
	}
	until(t, "well", well)
	for range 3 {
		before := asked.Load()
		member.link.drop() // as after a look that came late
		until(t, "well again", well)
		if again := asked.Load() - before; again > 0 {
			t.Errorf("asked %d times for its copies without a change", again)
		}
	}
	for i, changed := range [][]byte{membersView(2), partitionsView([]uuid{f.name}, [][]int32{{0, 1}})} {
		before := asked.Load()
		f.tell(changed)
		o.Sample(t.Context(), time.Second)
		until(t, "well after a change", well)
		if asked.Load() == before {
			t.Errorf("not asked after change %d", i)
		}
	}
}

// until looks again and again, within half a minute.
func until(t *testing.T, what string, look func() bool) {
	t.Helper()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for deadline := time.Now().Add(30 * time.Second); !look(); <-again.C {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
	}
}
