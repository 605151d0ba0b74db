package redis

import (
	"errors"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

const (
	ok      = "+OK\r\n"
	queued  = "+QUEUED\r\n"
	written = "*2\r\n:1\r\n:1\r\n"
)

// allLoading is a server that refuses all but the greeting, a PING too.
var allLoading = func() map[string]string {
	answers := map[string]string{}
	for _, name := range []string{"PING", "MULTI", "HSET", "UNLINK", "ZADD", "ZREM", "ZRANGEBYSCORE", "HGETALL", "WAIT", "EXEC"} {
		answers[name] = "-LOADING Redis is loading the dataset in memory\r\n"
	}
	return answers
}()

func TestTheOutcomeIsWhatIsKnown(t *testing.T) {
	const patient, impatient = 10 * time.Second, 50 * time.Millisecond
	for name, c := range map[string]struct {
		kind     stores.Kind
		replicas int
		within   time.Duration
		answers  map[string]string
		outcome  stores.Outcome
		code     string
	}{
		"an update": {stores.Update, 0, patient, map[string]string{"HSET": ":1\r\n"}, stores.OK, ""},
		"an update of a replica": {stores.Update, 0, patient,
			map[string]string{"HSET": "-READONLY You can't write against a read only replica.\r\n"}, stores.Failed, "READONLY"},
		"an update while it loads": {stores.Update, 0, patient,
			map[string]string{"HSET": "-LOADING Redis is loading the dataset in memory\r\n"}, stores.Failed, "LOADING"},
		"an update with too few replicas": {stores.Update, 0, patient,
			map[string]string{"HSET": "-NOREPLICAS Not enough good replicas to write.\r\n"}, stores.Failed, "NOREPLICAS"},
		"an update of nobody":                     {stores.Update, 0, patient, map[string]string{"HSET": "-NOAUTH Authentication required.\r\n"}, stores.Failed, stores.CodeUnauthorized},
		"an update without memory":                {stores.Update, 0, patient, map[string]string{"HSET": "-OOM command not allowed\r\n"}, stores.Failed, "OOM"},
		"an error of no known word":               {stores.Update, 0, patient, map[string]string{"HSET": "-WHAT ever\r\n"}, stores.Failed, "ERR"},
		"an update without answer":                {stores.Update, 0, impatient, map[string]string{"HSET": hangs}, stores.Unknown, stores.CodeDeadline},
		"a connection that ends":                  {stores.Update, 0, patient, map[string]string{"HSET": closes}, stores.Unknown, stores.CodeConnectionLost},
		"no handshake":                            {stores.Update, 0, impatient, map[string]string{"PING": hangs}, stores.Failed, stores.CodeNoConnection},
		"a handshake that ends":                   {stores.Update, 0, patient, map[string]string{"PING": closes}, stores.Failed, stores.CodeNoConnection},
		"an insert while it loads":                {stores.Insert, 0, patient, allLoading, stores.Failed, "LOADING"},
		"a delete while it loads":                 {stores.Delete, 0, patient, allLoading, stores.Failed, "LOADING"},
		"a scan while it loads":                   {stores.Scan, 0, patient, allLoading, stores.Failed, "LOADING"},
		"an update with a replica while it loads": {stores.Update, 1, patient, allLoading, stores.Failed, "LOADING"},
		"a server that is full": {stores.Update, 0, patient,
			map[string]string{"PING": "-ERR max number of clients reached\r\n", "HSET": closes}, stores.Failed, stores.CodeNoConnection},
		"a read without answer":      {stores.Read, 0, impatient, map[string]string{"HGETALL": hangs}, stores.Failed, stores.CodeDeadline},
		"a read of what is no hash":  {stores.Read, 0, patient, map[string]string{"HGETALL": "-WRONGTYPE Operation\r\n"}, stores.Failed, "WRONGTYPE"},
		"a read of half a field":     {stores.Read, 0, patient, map[string]string{"HGETALL": "*1\r\n$1\r\na\r\n"}, stores.Failed, stores.CodeBadRecord},
		"a read of a number":         {stores.Read, 0, patient, map[string]string{"HGETALL": ":1\r\n"}, stores.Failed, stores.CodeBadRecord},
		"a read of nothing":          {stores.Read, 0, patient, map[string]string{"HGETALL": "*0\r\n"}, stores.Failed, stores.CodeNotFound},
		"a scan that ends half-way":  {stores.Scan, 0, patient, map[string]string{"ZRANGEBYSCORE": "*1\r\n$5\r\nuser1\r\n", "HGETALL": closes}, stores.Failed, stores.CodeConnectionLost},
		"a scan of more than wanted": {stores.Scan, 0, patient, map[string]string{"ZRANGEBYSCORE": "*3\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n"}, stores.Failed, stores.CodeBadRecord},
		"an insert": {stores.Insert, 0, patient,
			map[string]string{"MULTI": ok, "HSET": queued, "ZADD": queued, "EXEC": written}, stores.OK, ""},
		"an insert of which a part is refused": {stores.Insert, 0, patient,
			map[string]string{"MULTI": ok, "HSET": "-OOM command not allowed\r\n", "ZADD": queued, "EXEC": "-EXECABORT Transaction discarded\r\n"}, stores.Failed, "OOM"},
		"an insert that was refused before its end": {stores.Insert, 0, patient,
			map[string]string{"MULTI": ok, "HSET": "-READONLY it is\r\n", "ZADD": queued, "EXEC": closes}, stores.Failed, "READONLY"},
		"an insert by somebody who may begin no transaction": {stores.Insert, 0, patient,
			map[string]string{"MULTI": "-NOPERM no permissions\r\n", "HSET": ":1\r\n", "ZADD": ":1\r\n", "EXEC": "-ERR EXEC without MULTI\r\n"}, stores.Unknown, "NOPERM"},
		"an insert by somebody who may do nothing": {stores.Insert, 0, patient,
			map[string]string{"MULTI": "-NOAUTH\r\n", "HSET": "-NOAUTH\r\n", "ZADD": "-NOAUTH\r\n", "EXEC": "-NOAUTH\r\n"}, stores.Failed, stores.CodeUnauthorized},
		"an insert without the last answer": {stores.Insert, 0, patient,
			map[string]string{"MULTI": ok, "HSET": queued, "ZADD": queued, "EXEC": closes}, stores.Unknown, stores.CodeConnectionLost},
		"an insert that half failed": {stores.Insert, 0, patient,
			map[string]string{"MULTI": ok, "HSET": queued, "ZADD": queued, "EXEC": "*2\r\n-WRONGTYPE Operation\r\n:1\r\n"}, stores.Unknown, "WRONGTYPE"},
		"an insert of which the last part had no memory": {stores.Insert, 0, patient,
			map[string]string{"MULTI": ok, "HSET": queued, "ZADD": queued, "EXEC": "*2\r\n:1\r\n-OOM command not allowed\r\n"}, stores.Unknown, "OOM"},
		"an insert of which the first part was not allowed": {stores.Insert, 1, patient,
			map[string]string{"MULTI": ok, "HSET": queued, "ZADD": queued, "EXEC": "*2\r\n-NOPERM ACLs rules changed\r\n:1\r\n", "WAIT": ":1\r\n"}, stores.Unknown, "NOPERM"},
		"an insert at a primary that has become a replica": {stores.Insert, 0, patient,
			map[string]string{"MULTI": ok, "HSET": queued, "ZADD": queued, "EXEC": "-ERR Transaction contains write commands but instance is now a read-only replica. EXEC aborted.\r\n"}, stores.Failed, "ERR"},
		"an insert that was aborted": {stores.Insert, 0, patient,
			map[string]string{"MULTI": ok, "HSET": queued, "ZADD": queued, "EXEC": "-EXECABORT Transaction discarded because: READONLY it is\r\n"}, stores.Failed, "EXECABORT"},
		"a delete of nothing": {stores.Delete, 0, patient,
			map[string]string{"MULTI": ok, "UNLINK": queued, "ZREM": queued, "EXEC": "*2\r\n:0\r\n:0\r\n"}, stores.Failed, stores.CodeNotFound},
		"enough replicas":    {stores.Update, 2, patient, map[string]string{"HSET": ":0\r\n", "WAIT": ":3\r\n"}, stores.OK, ""},
		"too few replicas":   {stores.Update, 2, patient, map[string]string{"HSET": ":0\r\n", "WAIT": ":1\r\n"}, stores.Unknown, codeNotReplicated},
		"a primary deposed":  {stores.Update, 2, patient, map[string]string{"HSET": ":0\r\n", "WAIT": "-UNBLOCKED instance state changed\r\n"}, stores.Unknown, "UNBLOCKED"},
		"WAIT of a replica":  {stores.Update, 1, patient, map[string]string{"HSET": "-READONLY it is\r\n", "WAIT": "-ERR WAIT cannot be used\r\n"}, stores.Failed, "READONLY"},
		"no answer to WAIT":  {stores.Update, 1, impatient, map[string]string{"HSET": ":0\r\n", "WAIT": hangs}, stores.Unknown, stores.CodeDeadline},
		"a passed deadline":  {stores.Update, 0, -time.Second, nil, stores.Failed, stores.CodeDeadline},
		"what nobody can do": {stores.ReadModifyWrite, 0, patient, nil, stores.Failed, stores.CodeBadOperation},
	} {
		t.Run(name, func(t *testing.T) {
			s := sessionOf(t, startFake(t, c.answers).address, c.replicas)
			err := s.Do(anOp(c.kind, c.within))
			var failure *stores.Error
			if errors.As(err, &failure) != (c.outcome != stores.OK) || failure != nil && (failure.Outcome != c.outcome || failure.Code != c.code) {
				t.Errorf("%+v, %v; want %v, %s", failure, err, c.outcome, c.code)
			}
			if failure != nil && failure.Answered != (c.code == stores.CodeNotFound) {
				t.Errorf("answered: %v", failure.Answered)
			}
		})
	}
}

func TestABatchIsAllOrNothing(t *testing.T) {
	for name, c := range map[string]struct {
		answers map[string]string
		outcome stores.Outcome
		code    string
	}{
		"all":     {map[string]string{"MULTI": ok, "HSET": queued, "ZADD": queued, "EXEC": "*3\r\n:1\r\n:1\r\n:2\r\n"}, stores.OK, ""},
		"nothing": {map[string]string{"MULTI": ok, "HSET": "-READONLY it is\r\n", "ZADD": queued, "EXEC": "-EXECABORT Transaction discarded\r\n"}, stores.Failed, "READONLY"},
		"unknown": {map[string]string{"MULTI": ok, "HSET": queued, "ZADD": queued, "EXEC": closes}, stores.Unknown, stores.CodeConnectionLost},
		"refused": {allLoading, stores.Failed, "LOADING"},
	} {
		t.Run(name, func(t *testing.T) {
			server := startFake(t, c.answers)
			ops := []stores.Op{*anOp(stores.Insert, 10*time.Second), *anOp(stores.Insert, 10*time.Second)}
			ops[1].Key = []byte("user0000")
			var failure *stores.Error
			if err := sessionOf(t, server.address, 0).InsertAll(ops); errors.As(err, &failure) != (c.outcome != stores.OK) ||
				failure != nil && (failure.Outcome != c.outcome || failure.Code != c.code) {
				t.Errorf("%v; want %v, %s", err, c.outcome, c.code)
			}
			want := []string{"MULTI", "HSET t/user1 field0 a", "HSET t/user0000 field0 a", "ZADD t/_indices 111578566 user1 -267609525 user0000", "EXEC"}
			if !slices.Equal(server.commands(), want) {
				t.Errorf("the server saw %q", server.commands())
			}
		})
	}
}

func TestARefusedConnectionIsTriedAgainLaterAndNotAtOnce(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	s := sessionOf(t, address, 0)
	begun := time.Now()
	for range 3 {
		var failure *stores.Error
		if err := s.Do(anOp(stores.Update, 10*time.Second)); !errors.As(err, &failure) || failure.Outcome != stores.Failed || failure.Code != stores.CodeNoConnection {
			t.Fatal(err)
		}
	}
	// The first at once, the second after 50 ms, the third after 100 ms more.
	if took := time.Since(begun); took < 150*time.Millisecond {
		t.Errorf("three attempts in %v", took)
	}
}

func TestASessionIsAsGoodAsNewAfterAnAnswerThatDidNotCome(t *testing.T) {
	server := startFake(t, map[string]string{"HSET": hangs})
	s := sessionOf(t, server.address, 0)
	if err := s.Do(anOp(stores.Update, 30*time.Millisecond)); err == nil {
		t.Fatal("an answer came")
	}
	server.mu.Lock()
	server.answers["HSET"] = ":1\r\n"
	server.mu.Unlock()
	if err := s.Do(anOp(stores.Update, 10*time.Second)); err != nil {
		t.Error(err)
	}
	if want := []string{"HSET t/user1 field0 a", "HSET t/user1 field0 a"}; !slices.Equal(server.commands(), want) {
		t.Errorf("the server saw %v, want %v: an operation is sent once", server.commands(), want)
	}
}

func TestASessionFollowsThePrimary(t *testing.T) {
	server := startFake(t, map[string]string{"HSET": ":1\r\n"})
	l := &discovery{members: []string{"a:1", server.address}, stop: func() {}}
	l.now.Store(&sighting{over: make(chan struct{})})
	s := &session{discovery: l, links: newLinks(nil, 0, 1)}
	defer s.Close()
	var failure *stores.Error
	if err := s.Do(anOp(stores.Update, 10*time.Millisecond)); !errors.As(err, &failure) || failure.Code != stores.CodeNoPrimary || failure.Outcome != stores.Failed {
		t.Errorf("without a primary: %v", err)
	}
	done := make(chan error)
	go func() { done <- s.Do(anOp(stores.Update, 10*time.Second)) }()
	l.hear(0, word{address: server.address}, nil)
	if err := <-done; err != nil {
		t.Errorf("it waits for the first one: %v", err)
	}
	other := startFake(t, map[string]string{"HSET": "-READONLY it is\r\n"})
	l.members[0] = other.address
	l.hear(0, word{address: other.address, epoch: 1}, nil)
	if err := s.Do(anOp(stores.Update, 10*time.Second)); !errors.As(err, &failure) || failure.Code != "READONLY" {
		t.Errorf("it stays with the old one: %v", err)
	}
}

// A scan is two exchanges. While another operation has the only place, both wait for it.
func TestTheWaitsOfAScanAddUp(t *testing.T) {
	server := startFake(t, map[string]string{
		"HSET": ":1\r\n", "ZRANGEBYSCORE": "*1\r\n$5\r\nuser1\r\n", "HGETALL": "*2\r\n$1\r\na\r\n$1\r\nb\r\n",
	})
	discovery, err := newDiscovery([]string{server.address}, nil)
	if err != nil {
		t.Fatal(err)
	}
	links := newLinks(nil, 1, 1)
	defer discovery.close()
	defer links.close()
	stop := make(chan struct{})
	var others sync.WaitGroup
	for range 8 {
		others.Go(func() {
			s := &session{discovery: discovery, links: links}
			for {
				select {
				case <-stop:
					return
				default:
					if err := s.Do(anOp(stores.Update, time.Minute)); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	s := &session{discovery: discovery, links: links}
	for range 50 {
		op := anOp(stores.Scan, time.Minute)
		due := op.Deadline
		begun := time.Now()
		if err := s.Do(op); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); op.Waited > took || op.Deadline.Sub(due) != op.Waited {
			t.Errorf("waited %v of %v, and the deadline is later by %v", op.Waited, took, op.Deadline.Sub(due))
		}
	}
	close(stop)
	others.Wait()
}
