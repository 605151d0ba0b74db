package workload

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

// Key numbers and counts beyond 2^31 are where Java YCSB breaks.
func TestKeyNumbersBeyond32BitsWork(t *testing.T) {
	const records, start = 5_000_000_000, 3_000_000_000
	for _, kind := range []string{Uniform, Zipfian, Hotspot, Sequential, Mixgraph, Latest, Exponential} {
		k := keyspace(t, map[string]string{"requestdistribution": kind, "insertproportion": "0.05"},
			Share{Records: records, InsertStart: start, InsertCount: records - start, Operations: 1e12, Seed: 7})
		requests := newChooser(k, NewRand(1, kind, 0))
		for range 1000 {
			v := requests.next()
			if v < 0 || v >= records || (v < start && kind != Latest && kind != Exponential) {
				t.Fatalf("%s drew %d", kind, v)
			}
		}
	}
	thread := keyspace(t, properties("readproportion=0 updateproportion=0 insertproportion=1"), Share{Records: records}).NewThread(0)
	for number := int64(records); number < records+3; number++ {
		thread.Next()
		var octets [8]byte
		binary.LittleEndian.PutUint64(octets[:], uint64(number))
		hash := fnv.New64a()
		_, _ = hash.Write(octets[:])
		want := fmt.Sprintf("user%d", max(int64(hash.Sum64()), -int64(hash.Sum64())))
		if got := string(thread.Op().Key); got != want {
			t.Errorf("insert %d has the key %s, want %s", number, got, want)
		}
	}
	if got := LoadCount(records, 2, 3) + LoadCount(records, 1, 3) + LoadCount(records, 0, 3); got != records {
		t.Errorf("%d records are loaded", got)
	}
}

func TestKeysCanBeThoseOfGoYCSB(t *testing.T) {
	spec, err := Parse(map[string]string{"keyhash": "go-ycsb"}, FromRun(nil))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(spec.AppendKey(nil, 1)); got != "user6284782960179005422" {
		t.Errorf("key 1 is %s", got)
	}
	for _, number := range []int64{0, 255, 1_000_000, 5_000_000_000} {
		hash := fnv.New64a()
		_, _ = hash.Write(binary.BigEndian.AppendUint64(nil, uint64(number)))
		want := fmt.Sprintf("user%d", max(int64(hash.Sum64()), -int64(hash.Sum64())))
		if got := string(spec.AppendKey(nil, number)); got != want {
			t.Errorf("key %d is %s, want %s", number, got, want)
		}
	}
}

// With keyspace=own, every loaded record is asked for by one worker alone.
func TestWorkersCanHaveRecordsOfTheirOwn(t *testing.T) {
	const records, workers = 10, 3
	for _, kind := range []string{Uniform, Zipfian, Latest, Exponential, Hotspot, Sequential, Mixgraph} {
		owner := map[int64]int{}
		for worker := range workers {
			k := keyspace(t, map[string]string{"requestdistribution": kind, "keyspace": "own", "insertproportion": "1"},
				Share{Records: records, Worker: worker, Workers: workers, Operations: 10, Seed: 3})
			requests := newChooser(k, NewRand(1, kind, 0))
			insert, inserted := k.inserts.next()
			k.inserts.settle(insert, true)
			for range 5000 {
				v := requests.next()
				if v >= records && v != inserted {
					t.Fatalf("%s: worker %d drew %d", kind, worker, v)
				}
				if other, seen := owner[v]; seen && other != worker {
					t.Fatalf("%s: workers %d and %d drew %d", kind, other, worker, v)
				}
				owner[v] = worker
			}
		}
		for v := range int64(records) {
			// YCSB's latest law has no share for some of the oldest among so few.
			if _, seen := owner[v]; !seen && kind != Latest {
				t.Errorf("%s: nobody drew %d", kind, v)
			}
		}
	}
}

func TestAWorkloadCanBeOfOneKindAlone(t *testing.T) {
	for text, want := range map[string]map[stores.Kind]int{
		"readproportion=1 updateproportion=0":                    {stores.Read: 100},
		"readproportion=0 updateproportion=1":                    {stores.Update: 100},
		"readproportion=0 updateproportion=0 insertproportion=3": {stores.Insert: 100},
		"readproportion=0 updateproportion=0 deleteproportion=1": {stores.Delete: 100},
	} {
		thread := keyspace(t, properties(text), Share{Records: 10}).NewThread(0)
		got := map[stores.Kind]int{}
		for range 100 {
			got[thread.Next()]++
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// Values reach from 1 byte to 50 MB, and what they are cut from stays in proportion.
func TestValuesOfAllSizesAreMade(t *testing.T) {
	for _, c := range []struct {
		text  string
		bytes int
		arena int
	}{
		{"fieldlength=1", 1, 1<<20 + 1},
		{"fieldlength=100", 100, 1<<20 + 100},
		{"fieldlength=50000000 fieldcount=1", 50_000_000, 1<<20 + 50_000_000},
	} {
		k := keyspace(t, properties("readproportion=0 "+c.text), Share{Records: 10})
		thread := k.NewThread(0)
		thread.Next()
		values := thread.Op().Values
		if len(values) != 1 || len(values[0].Value) != c.bytes || len(k.arena) != c.arena {
			t.Errorf("%s: %d values, of %d bytes, cut from %d", c.text, len(values), len(values[0].Value), len(k.arena))
		}
	}
	if _, err := Parse(properties("fieldlength=52428800 fieldcount=2"), FromRun(nil)); err == nil || !strings.Contains(err.Error(), "for a record") {
		t.Errorf("two values of 50 MB: %v", err)
	}
}
