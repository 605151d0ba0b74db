package conformance

import (
	"errors"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

const (
	timeToLive = 2 * time.Second
	// overstay is how much longer a record may stay: what a store counts time by, and looks
	// for what has expired by, is seconds.
	overstay = 10 * time.Second
)

// expires writes with a time to live beside the bench's driver, which has none.
func expires(t *testing.T, b *bench, config stores.Config) {
	config.TTL = timeToLive
	driver, err := b.entry.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	defer driver.Close()
	table, lasting := b.table(), b.session(t)
	mortal := (&bench{entry: b.entry, driver: driver}).session(t)
	put := func(session stores.Session, kind stores.Kind, key string) {
		do(t, session, stores.Op{Kind: kind, Table: table, Key: []byte(key), Values: record(key)})
	}
	put(lasting, stores.Insert, "for ever")
	put(lasting, stores.Insert, "for a while after all")
	put(mortal, stores.Update, "for a while after all")
	put(mortal, stores.Insert, "for ever after all")
	put(lasting, stores.Update, "for ever after all")
	sent := time.Now()
	put(mortal, stores.Insert, "for a while")
	b.expect(t, mortal, table, []byte("for a while"), record("for a while"))
	// The other session may ask a member that lags.
	for _, key := range []string{"for a while", "for a while after all"} {
		b.expect(t, lasting, table, []byte(key), record(key))
	}
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for _, key := range []string{"for a while", "for a while after all"} {
		for there(t, lasting, table, key) {
			if stayed := time.Since(sent); stayed > timeToLive+overstay {
				t.Fatalf("the record %q is there %v after it was written for %v", key, stayed, timeToLive)
			}
			put(mortal, stores.Update, "renewed")
			<-poll.C
		}
		if stayed := time.Since(sent); stayed < timeToLive {
			t.Errorf("the record %q was written for %v and is gone after %v", key, timeToLive, stayed)
		}
	}
	for _, key := range []string{"for ever", "for ever after all", "renewed"} {
		b.expect(t, lasting, table, []byte(key), record(key))
	}
}

func there(t *testing.T, session stores.Session, table, key string) bool {
	t.Helper()
	op := stores.Op{Kind: stores.Read, Table: table, Key: []byte(key), Deadline: time.Now().Add(opTimeout)}
	err := session.Do(&op)
	var failure *stores.Error
	if err != nil && (!errors.As(err, &failure) || failure.Code != stores.CodeNotFound) {
		t.Fatalf("read %q: %v", key, err)
	}
	return err == nil
}
