package workload

import (
	"slices"
	"testing"
)

func TestKeysMadeAheadAreThoseOfTheDraws(t *testing.T) {
	for _, law := range requestLaws {
		properties := map[string]string{"requestdistribution": law, "zeropadding": "21"}
		k, other := keyspace(t, properties, Share{Records: 1000}), keyspace(t, properties, Share{Records: 1000})
		made, drawn := newRequests(k, NewRand(1, law, 0)), newChooser(other, NewRand(1, law, 0))
		for i := range 3*keyBatch + 1 {
			if got, want := string(made.next()), string(k.spec.AppendKey(nil, drawn.next())); got != want {
				t.Fatalf("%s: request %d is of %s, want %s", law, i, got, want)
			}
		}
	}
}

// A key that was drawn before an insert cannot be the new record's.
func TestWhereThereAreInsertsTheNewestRecordIsAskedForAtOnce(t *testing.T) {
	k := keyspace(t, map[string]string{"requestdistribution": Latest, "insertproportion": "0.05"}, Share{Records: 1000})
	made, newest := newRequests(k, NewRand(1, "", 0)), 0
	const inserts = 10 * keyBatch
	for i := range int64(inserts) {
		k.inserts.known.Store(i + 1)
		if string(made.next()) == string(k.spec.AppendKey(nil, 1000+i)) {
			newest++
		}
	}
	if newest < inserts/16 { // the first of 1,000 ranks has an eighth
		t.Errorf("%d of %d requests were for the newest record", newest, inserts)
	}
}

func TestThreadsWalkThroughASequenceTogether(t *testing.T) {
	k := keyspace(t, map[string]string{"requestdistribution": Sequential, "insertorder": "ordered"}, Share{Records: 1000})
	one, other := newRequests(k, nil), newRequests(k, nil)
	var asked []string
	for range 2 {
		asked = append(asked, string(one.next()), string(other.next()))
	}
	if want := []string{"user0", "user1", "user2", "user3"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %v, want %v", asked, want)
	}
}
