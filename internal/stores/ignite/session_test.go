package ignite

import (
	"errors"
	"fmt"
	"slices"
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

// acknowledge answers that there was nothing, and that what was to be done is.
func acknowledge(r request, reply *builder) bool {
	beginReply(reply, r)
	switch r.kind {
	case kindGet:
		reply.byte(typeNull)
	case kindRemove:
		reply.bool(false)
	}
	reply.end()
	return true
}

var every = []int32{0, 1, 2, 3, 4, 5, 6, 7}

func TestARequestGoesToThePartitionsOwner(t *testing.T) {
	one, other := newMember(t, 1, acknowledge), newMember(t, 2, acknowledge)
	d, s := openFor(t, one, other)
	if err := s.Do(opOf(stores.Insert, "first")); err != nil { // which makes the cache
		t.Fatal(err)
	}
	for place, owner := range []*member{one, other} {
		for _, f := range []*member{one, other} {
			f.set(func() { f.owners = map[uuid][]int32{owner.name: every} })
		}
		until(t, fmt.Sprintf("member %d owns all partitions", place), func() bool { return d.affinity.table("t").owner(0) == place })
		before := owner.wasAsked(kindPut)
		for i := range 50 {
			if err := s.Do(opOf(stores.Insert, fmt.Sprint(i))); err != nil {
				t.Fatal(err)
			}
		}
		if got := owner.wasAsked(kindPut) - before; got != 50 {
			t.Errorf("member %d was asked for %d writes of 50", place, got)
		}
	}
	if one.wasAsked(kindGetOrCreate)+other.wasAsked(kindGetOrCreate) != 1 {
		t.Error("the cache was made more than once")
	}
}

// An answer says that the owners are others, and they are asked for without the second's wait.
func TestOwnersAreAskedForWhenAnAnswerSaysThatTheyMoved(t *testing.T) {
	l := &affinity{known: version{major: 5, minor: 3}}
	for _, c := range []struct {
		to   version
		want int
	}{{version{5, 3}, 0}, {version{5, 2}, 0}, {version{4, 9}, 0}, {version{5, 4}, 1}, {version{6, 0}, 1}} {
		l.wake = make(chan struct{}, 1)
		if l.moved(c.to); len(l.wake) != c.want {
			t.Errorf("%v: asked %d times, want %d", c.to, len(l.wake), c.want)
		}
	}
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
	l := &affinity{names: []uuid{{low: 1}, {low: 2}}, tables: map[string]*table{}}
	own := l.table("t")
	l.setOwners(version{major: 1}, []ownership{{caches: []int32{own.id}, owners: []uuid{{low: 1}, {low: 9}}}})
	if a, b := own.owner(0), own.owner(1); a != 0 || b != partition.Unknown {
		t.Errorf("owners %d and %d", a, b)
	}
	if got := l.strangers(); !slices.Equal(got, []int{1}) {
		t.Errorf("strangers %v", got)
	}
	if shard := own.shard(0); shard != 0 {
		t.Errorf("shard %d before each partition has an owner", shard)
	}
	l.learn(1, uuid{low: 9})
	if b := own.owner(1); b != 1 || l.strangers() != nil {
		t.Errorf("owner %d, strangers %v", b, l.strangers())
	}
	l.setOwners(version{major: 2}, []ownership{{caches: []int32{own.id}, owners: []uuid{{low: 9}, {low: 9}}}})
	if a, b := own.shard(0), own.shard(1); a != 1 || b != 2 || own.owner(0) != 1 {
		t.Errorf("shards %d and %d after another took over; want the first owners'", a, b)
	}
}

func TestWhatIsKnownOfAnOperationThatFailed(t *testing.T) {
	say := func(status int32) func(request, *builder) bool {
		return func(r request, reply *builder) bool { replyError(reply, r, status); return true }
	}
	hangUp := func(request, *builder) bool { return false }
	for name, c := range map[string]struct {
		answer func(request, *builder) bool
		kind   stores.Kind
		want   stores.Error
	}{
		"a read, and the connection ends":  {hangUp, stores.Read, stores.Error{Outcome: stores.Failed, Code: stores.CodeConnectionLost}},
		"a write, and the connection ends": {hangUp, stores.Update, stores.Error{Outcome: stores.Unknown, Code: stores.CodeConnectionLost}},
		"a write that failed":              {say(1), stores.Insert, stores.Error{Outcome: stores.Unknown, Code: stores.CodeServerError}},
		"a write whose member stops":       {say(10), stores.Insert, stores.Error{Outcome: stores.Unknown, Code: "InvalidNodeState"}},
		"a delete with an unnamed status":  {say(77), stores.Delete, stores.Error{Outcome: stores.Unknown, Code: stores.CodeServerError}},
		"a write that is refused":          {say(100), stores.Insert, stores.Error{Outcome: stores.Failed, Code: stores.CodeServerError, Answered: true}},
		"a write to a cache that is gone":  {say(1000), stores.Insert, stores.Error{Outcome: stores.Failed, Code: "CacheDoesNotExist", Answered: true}},
		"a read that failed":               {say(1), stores.Read, stores.Error{Outcome: stores.Failed, Code: stores.CodeServerError}},
		"a record that is not there":       {acknowledge, stores.Read, stores.Error{Outcome: stores.Failed, Code: stores.CodeNotFound, Answered: true}},
		"a delete of none":                 {acknowledge, stores.Delete, stores.Error{Outcome: stores.Failed, Code: stores.CodeNotFound, Answered: true}},
		"a scan of nothing":                {acknowledge, stores.Scan, stores.Error{Outcome: stores.Failed, Code: stores.CodeBadOperation}},
		"an unknown operation":             {acknowledge, stores.ReadModifyWrite, stores.Error{Outcome: stores.Failed, Code: stores.CodeBadOperation}},
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

// A cluster that began anew has no caches: the next operation makes it.
func TestACacheThatIsGoneIsMadeAgain(t *testing.T) {
	gone := true
	f := newMember(t, 1, func(r request, reply *builder) bool {
		if gone {
			gone = false
			replyError(reply, r, statusNoCache)
			return true
		}
		return acknowledge(r, reply)
	})
	_, s := openFor(t, f)
	if err := s.Do(opOf(stores.Insert, "k")); err == nil {
		t.Fatal("a write to no cache succeeded")
	}
	if err := s.Do(opOf(stores.Insert, "k")); err != nil {
		t.Fatal(err)
	}
	if got := f.wasAsked(kindGetOrCreate); got != 2 {
		t.Errorf("the cache was made %d times", got)
	}
}

// Ignite ends a member that is asked to make a cache while it starts.
func TestNoCacheIsAskedForWhileAMemberStarts(t *testing.T) {
	f := newMember(t, 1, acknowledge)
	f.set(func() { f.at = version{major: -1} })
	_, s := openFor(t, f)
	var got *stores.Error
	if err := s.Do(opOf(stores.Insert, "k")); !errors.As(err, &got) || got.Outcome != stores.Failed || f.wasAsked(kindGetOrCreate) > 0 {
		t.Errorf("%v, and %d caches", err, f.wasAsked(kindGetOrCreate))
	}
	f.set(func() { f.at = version{major: 1} })
	if err := s.Do(opOf(stores.Insert, "k")); err != nil {
		t.Error(err)
	}
}

// Members without the templates would make another cache than the mode's.
func TestACacheThatIsNotOfItsTemplateIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		mode                string
		atomicity, entities int32
	}{
		"an atomic one":         {ModeTransactional, atomicityAtomic, 1},
		"a transactional one":   {ModeAtomicPersistent, atomicityTransactional, 1},
		"one of nobody's":       {ModeAtomic, atomicityAtomic, 0},
		"one of nobody's, kept": {ModeTransactionalPersistent, atomicityAtomic, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := newMember(t, 1, acknowledge)
			f.set(func() { f.atomicity, f.entities = c.atomicity, c.entities })
			d, err := Open(stores.Config{Addresses: []string{f.address}, Mode: c.mode})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			s, err := d.NewSession()
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			var got *stores.Error
			if err := s.Do(opOf(stores.Insert, "k")); !errors.As(err, &got) || got.Outcome != stores.Failed || f.wasAsked(kindPut) > 0 {
				t.Errorf("%v, %d writes", err, f.wasAsked(kindPut))
			}
		})
	}
}

func TestABatchIsOneRequestToEachOwner(t *testing.T) {
	counts := make(chan int32, 10)
	count := func(r request, reply *builder) bool {
		if r.kind == kindPutAll {
			r.body.take(4 + 1 + 24)
			counts <- r.body.int32()
		}
		return acknowledge(r, reply)
	}
	one, other := newMember(t, 1, count), newMember(t, 2, count)
	d, s := openFor(t, one, other)
	if err := s.Do(opOf(stores.Insert, "first")); err != nil {
		t.Fatal(err)
	}
	for _, f := range []*member{one, other} {
		f.set(func() { f.owners = map[uuid][]int32{one.name: every[:4], other.name: every[4:]} })
	}
	until(t, "both own partitions", func() bool {
		own := d.affinity.table("t")
		return own.owner(0) == 0 && own.owner(4) == 1
	})
	var ops []stores.Op
	for i := range 16 { // of single bytes, so that each partition has two
		ops = append(ops, *opOf(stores.Insert, string(rune('a'+i))))
	}
	if err := s.InsertAll(ops); err != nil {
		t.Fatal(err)
	}
	if a, b := <-counts, <-counts; a != 8 || b != 8 || len(counts) > 0 {
		t.Errorf("%d and %d records, and %d requests more", a, b, len(counts))
	}
}

func TestABatchWithAFailureIsUnknown(t *testing.T) {
	fail := true
	_, s := openFor(t, newMember(t, 1, func(r request, reply *builder) bool {
		if fail {
			fail = false
			replyError(reply, r, 1012)
			return true
		}
		return acknowledge(r, reply)
	}))
	var got *stores.Error
	ops := []stores.Op{*opOf(stores.Insert, "a"), *opOf(stores.Insert, "b")}
	if err := s.InsertAll(ops); !errors.As(err, &got) || got.Outcome != stores.Unknown || got.Answered {
		t.Fatalf("%v", err)
	}
	if err := s.InsertAll(ops); err != nil {
		t.Fatal(err)
	}
}

// A scan is one statement, and as many requests as it has pages.
func TestAScanFetchesItsPages(t *testing.T) {
	pages := 0
	f := newMember(t, 1, func(r request, reply *builder) bool {
		beginReply(reply, r)
		pages++
		if r.kind == kindSQL {
			reply.int64(5) // cursor
			reply.int32(1) // columns
			appendTestPage(reply, []string{"a", "b"}, true)
		} else {
			appendTestPage(reply, []string{"c"}, r.body.int64() != 5)
		}
		reply.end()
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

func TestAPageIsWhatAMessageHolds(t *testing.T) {
	for name, c := range map[string]struct{ most, wanted, want int }{
		"nothing is known yet":      {0, 50, 1},
		"all that are wanted":       {1000, 50, 50},
		"a page":                    {1000, 500, pageRows},
		"as many large ones as fit": {maxMessage / 8, 50, 4},
		"one of the largest":        {maxMessage, 50, 1},
	} {
		if got := (&rows{most: c.most}).pageFor(c.wanted); got != c.want {
			t.Errorf("%s: %d rows, want %d", name, got, c.want)
		}
	}
}
