package conformance

import (
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
	latest := sent.Add(timeToLive + overstay)
	for _, key := range []string{"for a while", "for a while after all"} {
		gone := b.goneAt(t, lasting, table, key, latest, func() { put(mortal, stores.Update, "renewed") })
		if stayed := gone.Sub(sent); stayed < timeToLive {
			t.Errorf("the record %q was written for %v and is gone after %v", key, timeToLive, stayed)
		}
	}
	for _, key := range []string{"for ever", "for ever after all", "renewed"} {
		b.expect(t, lasting, table, []byte(key), record(key))
	}
}

// goneAt reads a record again and again until it is gone, and says since when. Where reads may be old
// one that misses it may be of a member that hasn't got it yet: it must be missing until all have it.
func (b *bench) goneAt(t *testing.T, session stores.Session, table, key string, latest time.Time, meanwhile func()) (gone time.Time) {
	t.Helper()
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for {
		switch is := there(t, session, table, key); {
		case is && time.Now().After(latest):
			t.Fatalf("the record %q is there %v after its time to live", key, overstay)
		case is:
			gone = time.Time{}
		case gone.IsZero():
			gone = time.Now()
		}
		if !gone.IsZero() && (b.fresh || time.Since(gone) >= catchUp) {
			return gone
		}
		meanwhile()
		<-poll.C
	}
}

func there(t *testing.T, session stores.Session, table, key string) bool {
	t.Helper()
	return isThere(t, session, &stores.Op{Kind: stores.Read, Table: table, Key: []byte(key)})
}
