package workload

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

func TestInsertsOfWorkersNeverCollideAndAreReadOnceAcknowledged(t *testing.T) {
	seen := map[int64]bool{}
	for worker := range 3 {
		in := newInserts(1000, worker, 3)
		for range 100 {
			_, number := in.next()
			if seen[number] || number < 1000 || number >= 1300 {
				t.Fatalf("worker %d inserts %d", worker, number)
			}
			seen[number] = true
		}
	}

	in := newInserts(1000, 1, 3)
	for range 6 {
		in.next()
	}
	steps := []struct {
		insert int64
		ok     bool
		known  []int64
	}{
		{1, true, nil}, // 0 is still under way
		{0, true, []int64{1001, 1004}},
		{3, true, []int64{1001, 1004}},
		{2, false, []int64{1001, 1004, 1010}}, // failed: left out
		{5, false, []int64{1001, 1004, 1010}},
		{4, true, []int64{1001, 1004, 1010, 1013}},
	}
	for _, s := range steps {
		in.settle(s.insert, s.ok)
		var known []int64
		for v := range in.known.Load() {
			known = append(known, in.number(v))
		}
		if fmt.Sprint(known) != fmt.Sprint(s.known) {
			t.Errorf("after insert %d: %v, want %v", s.insert, known, s.known)
		}
	}
}

// A store that is down fails every insert, and its return must not find the generator
// copying them.
func TestAFailedInsertCostsTheSameAfterMany(t *testing.T) {
	in := newInserts(0, 0, 1)
	begin := time.Now()
	const n = 100_000
	for range n {
		k, _ := in.next()
		in.settle(k, false)
	}
	// Copied for each, they are 40 GB.
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("%d failed inserts took %v", n, took)
	}
	k, number := in.next()
	in.settle(k, true)
	if got := in.number(0); in.known.Load() != 1 || got != number {
		t.Errorf("%d inserts are known, the first has the number %d, want %d", in.known.Load(), got, number)
	}
}

// Every third insert fails while others read: what is known is never one that failed.
func TestInsertsAreReadWhileOthersFail(t *testing.T) {
	in := newInserts(0, 0, 1)
	var writers, readers sync.WaitGroup
	over := make(chan struct{})
	for range 4 {
		readers.Go(func() {
			for v := int64(0); ; v++ {
				select {
				case <-over:
					return
				default:
				}
				if known := in.known.Load(); known > 0 {
					if number := in.number(v % known); number%3 == 0 {
						t.Errorf("insert %d failed, and is known", number)
						return
					}
				}
			}
		})
	}
	for range 4 {
		writers.Go(func() {
			for range 5000 {
				k, number := in.next()
				in.settle(k, number%3 != 0)
			}
		})
	}
	writers.Wait()
	close(over)
	readers.Wait()
	if known := in.known.Load(); known != 20_000-20_000/3-1 {
		t.Errorf("%d are known", known)
	}
}
