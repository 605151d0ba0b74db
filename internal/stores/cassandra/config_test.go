package cassandra

import (
	"testing"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestModesAreConsistencyLevelsOfAsManyReplicasAsThereAre(t *testing.T) {
	for _, c := range []struct {
		mode     string
		members  int
		level    gocql.Consistency
		replicas int
	}{{ModeOne, 1, gocql.One, 1}, {ModeQuorum, 2, gocql.Quorum, 2}, {"", 3, gocql.Quorum, 3}, {ModeAll, 9, gocql.All, 3}} {
		got, err := settingsOf(stores.Config{Mode: c.mode, Addresses: make([]string, c.members)})
		if err != nil || got.cluster.Consistency != c.level || got.replicas != c.replicas || got.keyspace != "ycsb" {
			t.Errorf("%+v: %+v, %v", c, got, err)
		}
	}
}

func TestNothingIsSentAgainOrTwice(t *testing.T) {
	cluster, err := clusterOf(gocql.Quorum, nil, "a:1")
	if err != nil {
		t.Fatal(err)
	}
	if cluster.RetryPolicy != nil || cluster.DefaultIdempotence {
		t.Error("gocql may send again")
	}
	if cluster.WriteCoalesceWaitTime != 0 {
		t.Error("gocql waits before it sends")
	}
}

func TestPropertiesThatAreNone(t *testing.T) {
	for name, config := range map[string]stores.Config{
		"a mode":             {Mode: "two", Addresses: []string{"a:1"}},
		"no member":          {},
		"a property":         {Addresses: []string{"a:1"}, Properties: map[string]string{"keyspac": "x"}},
		"a keyspace of CQL":  {Addresses: []string{"a:1"}, Properties: map[string]string{"keyspace": `x"; DROP KEYSPACE y`}},
		"a keyspace of none": {Addresses: []string{"a:1"}, Properties: map[string]string{"keyspace": ""}},
	} {
		if driver, err := Open(config); err == nil {
			t.Errorf("%s: %v", name, driver.Close())
		}
	}
}

// A write at 10.999 s counts as one at 10 s, and has expired when it is so many seconds later.
func TestATimeToLiveIsNeverTooShort(t *testing.T) {
	for ttl, want := range map[time.Duration]int{0: 0, time.Millisecond: 2, time.Second: 2, 1001 * time.Millisecond: 3, time.Hour: 3601} {
		if got := wholeSeconds(ttl); got != want {
			t.Errorf("%v: %d s, want %d", ttl, got, want)
		}
	}
}
