package redis

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// clusterOf is a session of a cluster that has these servers, the first of which has all slots as
// far as the session knows.
func clusterOf(t *testing.T, servers ...*fake) *clusterSession {
	t.Helper()
	var members, ids []string
	for i, server := range servers {
		members, ids = append(members, server.address), append(ids, fmt.Sprint(i))
	}
	a := &slotTable{members: members, ids: ids, views: make([][]node, len(members)), stop: func() {}}
	a.now.Store(layoutOf(members, ids, [][]node{seen("0", primary("0", 1, span{0, slotCount - 1}))}))
	d := &clusterDriver{slotTable: a, links: newLinks(nil, 0, 1)}
	s := d.session()
	t.Cleanup(func() { s.Close(); d.Close() })
	return s
}

func failureIn(t *testing.T, err error) *stores.Error {
	t.Helper()
	var failure *stores.Error
	if err != nil && !errors.As(err, &failure) {
		t.Errorf("%v says nothing of its outcome", err)
	}
	return failure
}

func TestTheOutcomeInAClusterIsWhatIsKnown(t *testing.T) {
	const patient, impatient = 10 * time.Second, 50 * time.Millisecond
	for name, c := range map[string]struct {
		kind    stores.Kind
		within  time.Duration
		answers map[string]string
		outcome stores.Outcome
		code    string
	}{
		"an update":                 {stores.Update, patient, map[string]string{"HSET": ":1\r\n"}, stores.OK, ""},
		"an insert":                 {stores.Insert, patient, map[string]string{"HSET": ":1\r\n"}, stores.OK, ""},
		"a read":                    {stores.Read, patient, map[string]string{"HGETALL": "*2\r\n$1\r\na\r\n$1\r\nb\r\n"}, stores.OK, ""},
		"a delete":                  {stores.Delete, patient, map[string]string{"UNLINK": ":1\r\n"}, stores.OK, ""},
		"a cluster that is down":    {stores.Update, patient, map[string]string{"HSET": "-CLUSTERDOWN The cluster is down\r\n"}, stores.Failed, "CLUSTERDOWN"},
		"one that moves":            {stores.Update, patient, map[string]string{"HSET": "-TRYAGAIN Multiple keys\r\n"}, stores.Failed, "TRYAGAIN"},
		"a way to a stranger":       {stores.Update, patient, map[string]string{"HSET": "-MOVED 1 10.9.9.9:1\r\n"}, stores.Failed, "MOVED"},
		"a way to nowhere":          {stores.Update, patient, map[string]string{"HSET": "-MOVED 1 :1\r\n"}, stores.Failed, "MOVED"},
		"no way at all":             {stores.Update, patient, map[string]string{"HSET": "-MOVED\r\n"}, stores.Failed, "MOVED"},
		"a full member":             {stores.Update, patient, map[string]string{"HSET": "-OOM command not allowed\r\n"}, stores.Failed, "OOM"},
		"no answer to an update":    {stores.Update, impatient, map[string]string{"HSET": hangs}, stores.Unknown, stores.CodeDeadline},
		"a connection that ends":    {stores.Update, patient, map[string]string{"HSET": closes}, stores.Unknown, stores.CodeConnectionLost},
		"no handshake":              {stores.Update, impatient, map[string]string{"PING": hangs}, stores.Failed, stores.CodeNoConnection},
		"a delete without answer":   {stores.Delete, patient, map[string]string{"UNLINK": closes}, stores.Unknown, stores.CodeConnectionLost},
		"a read without answer":     {stores.Read, impatient, map[string]string{"HGETALL": hangs}, stores.Failed, stores.CodeDeadline},
		"a read that is broken off": {stores.Read, patient, map[string]string{"HGETALL": closes}, stores.Failed, stores.CodeConnectionLost},
		"a read of nothing":         {stores.Read, patient, map[string]string{"HGETALL": "*0\r\n"}, stores.Failed, stores.CodeNotFound},
		"a read of a number":        {stores.Read, patient, map[string]string{"HGETALL": ":1\r\n"}, stores.Failed, stores.CodeBadRecord},
		"a delete of nothing":       {stores.Delete, patient, map[string]string{"UNLINK": ":0\r\n"}, stores.Failed, stores.CodeNotFound},
		"a scan":                    {stores.Scan, patient, nil, stores.Failed, stores.CodeBadOperation},
		"a passed deadline":         {stores.Update, -time.Second, nil, stores.Failed, stores.CodeDeadline},
	} {
		t.Run(name, func(t *testing.T) {
			failure := failureIn(t, clusterOf(t, startFake(t, c.answers)).Do(anOp(c.kind, c.within)))
			if (failure != nil) != (c.outcome != stores.OK) || failure != nil && (failure.Outcome != c.outcome || failure.Code != c.code) {
				t.Errorf("%+v; want %v, %s", failure, c.outcome, c.code)
			}
			if failure != nil && failure.Answered != (c.code == stores.CodeNotFound) {
				t.Errorf("answered: %v", failure.Answered)
			}
		})
	}
}

func TestAnOperationGoesWhereItIsSent(t *testing.T) {
	for name, c := range map[string]struct {
		way     string
		answers map[string]string
		sees    []string
		outcome stores.Outcome
		code    string
	}{
		"for good":          {"MOVED", map[string]string{"HSET": ":1\r\n"}, []string{"HSET t/user1 field0 a"}, stores.OK, ""},
		"for once":          {"ASK", map[string]string{"ASKING": ok, "HSET": ":1\r\n"}, []string{"ASKING", "HSET t/user1 field0 a"}, stores.OK, ""},
		"and is refused":    {"MOVED", map[string]string{"HSET": "-LOADING it loads\r\n"}, []string{"HSET t/user1 field0 a"}, stores.Failed, "LOADING"},
		"and not answered":  {"ASK", map[string]string{"ASKING": ok, "HSET": closes}, []string{"ASKING", "HSET t/user1 field0 a"}, stores.Unknown, stores.CodeConnectionLost},
		"and not connected": {"MOVED", map[string]string{"PING": closes}, nil, stores.Failed, stores.CodeNoConnection},
	} {
		t.Run(name, func(t *testing.T) {
			second := startFake(t, c.answers)
			first := startFake(t, map[string]string{"HSET": fmt.Sprintf("-%s 1 %s\r\n", c.way, second.address)})
			failure := failureIn(t, clusterOf(t, first, second).Do(anOp(stores.Update, 10*time.Second)))
			if (failure != nil) != (c.outcome != stores.OK) || failure != nil && (failure.Outcome != c.outcome || failure.Code != c.code) {
				t.Errorf("%+v; want %v, %s", failure, c.outcome, c.code)
			}
			if len(first.commands()) != 1 || !slices.Equal(second.commands(), c.sees) {
				t.Errorf("the first saw %q, the second %q", first.commands(), second.commands())
			}
		})
	}
}

func TestAnOperationIsNotSentToAndFroForEver(t *testing.T) {
	one, other := startFake(t, nil), startFake(t, nil)
	for a, b := range map[*fake]*fake{one: other, other: one} {
		a.mu.Lock()
		a.answers = map[string]string{"HGETALL": "-MOVED 1 " + b.address + "\r\n"}
		a.mu.Unlock()
	}
	failure := failureIn(t, clusterOf(t, one, other).Do(anOp(stores.Read, 10*time.Second)))
	if failure == nil || failure.Code != "MOVED" || len(one.commands())+len(other.commands()) != 1+maxRedirects {
		t.Errorf("%v; they saw %q and %q", failure, one.commands(), other.commands())
	}
}

func TestASessionWaitsForAnOwner(t *testing.T) {
	server := startFake(t, map[string]string{"HSET": ":1\r\n"})
	s := clusterOf(t, server)
	s.slotTable.now.Store(layoutOf(s.slotTable.members, s.slotTable.ids, nil))
	failure := failureIn(t, s.Do(anOp(stores.Update, 10*time.Millisecond)))
	if failure == nil || failure.Outcome != stores.Failed || failure.Code != stores.CodeNoPrimary {
		t.Errorf("without an owner: %v", failure)
	}
	done := make(chan error)
	go func() { done <- s.Do(anOp(stores.Update, 10*time.Second)) }()
	s.slotTable.hear(0, seen("0", primary("0", 1, span{0, slotCount - 1})), nil)
	if err := <-done; err != nil {
		t.Errorf("it waits for the first one: %v", err)
	}
}

func TestABatchIsAPipelineToEachMember(t *testing.T) {
	halves := func(s *clusterSession) { // of t/user1 10758, of t/user0 14887
		s.slotTable.hear(0, seen("0", primary("0", 2, span{0, 12000}), primary("1", 2, span{12001, slotCount - 1})), nil)
	}
	for name, c := range map[string]struct {
		first, second string
		outcome       stores.Outcome
		code          string
	}{
		"all are there":           {":1\r\n", ":1\r\n", stores.OK, ""},
		"none is, for certain":    {"-OOM no\r\n", "-OOM no\r\n", stores.Failed, "OOM"},
		"one is refused":          {":1\r\n", "-MOVED 1 10.9.9.9:1\r\n", stores.Unknown, "MOVED"},
		"one is not answered":     {closes, ":1\r\n", stores.Unknown, stores.CodeConnectionLost},
		"refused or not answered": {"-OOM no\r\n", closes, stores.Unknown, ""},
	} {
		t.Run(name, func(t *testing.T) {
			first, second := startFake(t, map[string]string{"HSET": c.first}), startFake(t, map[string]string{"HSET": c.second})
			s := clusterOf(t, first, second)
			halves(s)
			ops := []stores.Op{*anOp(stores.Insert, 10*time.Second), *anOp(stores.Insert, 10*time.Second)}
			ops[1].Key = []byte("user0")
			failure := failureIn(t, s.InsertAll(ops))
			if (failure != nil) != (c.outcome != stores.OK) || failure != nil && (failure.Outcome != c.outcome || c.code != "" && failure.Code != c.code) {
				t.Errorf("%v; want %v, %s", failure, c.outcome, c.code)
			}
			if got := append(first.commands(), second.commands()...); strings.Join(got, "; ") != "HSET t/user1 field0 a; HSET t/user0 field0 a" {
				t.Errorf("they saw %q", got)
			}
		})
	}
}
