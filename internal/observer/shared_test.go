package observer

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
)

func TestWhoAsksAtATimeSharesALook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var looks []time.Duration // when each began
		s := newShared(func(context.Context) (bundle.TopologyLine, bool) {
			looks = append(looks, time.Since(begun))
			time.Sleep(30 * time.Millisecond)
			return bundle.TopologyLine{Term: uint64(len(looks))}, true
		})
		var all sync.WaitGroup
		ask := func(after, until time.Duration, want uint64) {
			all.Go(func() {
				time.Sleep(after)
				line, ok := s.ask(t.Context())
				if took := time.Since(begun); line.Term != want || !ok || took != until {
					t.Errorf("who asks after %s has look %d, %v, after %s; want %d after %s", after, line.Term, ok, took, want, until)
				}
			})
		}
		ask(0, 30*time.Millisecond, 1)
		for range 100 {
			// The look that is under way may have seen what was before the question.
			ask(10*time.Millisecond, 130*time.Millisecond, 2)
		}
		ask(99*time.Millisecond, 130*time.Millisecond, 2)
		ask(time.Second, 1030*time.Millisecond, 3)
		all.Wait()
		if len(looks) != 3 {
			t.Errorf("looks after %v", looks)
		}
		time.Sleep(time.Second) // until the looks are over
	})
}

func TestWhoGoesAwayLeavesTheLookToTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShared(func(ctx context.Context) (bundle.TopologyLine, bool) {
			time.Sleep(30 * time.Millisecond)
			return bundle.TopologyLine{Steady: true}, ctx.Err() == nil
		})
		impatient, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		var all sync.WaitGroup
		all.Go(func() {
			if _, ok := s.ask(impatient); ok {
				t.Error("it has an answer")
			}
		})
		synctest.Wait() // it is the first: the look is made in its name
		all.Go(func() {
			if line, ok := s.ask(t.Context()); !ok || !line.Steady {
				t.Errorf("the other has %+v, %v", line, ok)
			}
		})
		all.Wait()
		time.Sleep(time.Second) // until the looks are over
	})
}
