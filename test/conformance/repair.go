package conformance

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// repairs does until the test's end what a member needs that doesn't come back by itself, and tells
// what was done so far.
func repairs(t testing.TB, target Target) (done func() []string) {
	observer := observe(t, target)
	ctx, cancel := context.WithCancel(context.Background())
	var mu sync.Mutex
	var repaired []string
	var all sync.WaitGroup
	all.Go(func() {
		again := time.NewTicker(500 * time.Millisecond)
		defer again.Stop()
		for {
			did, err := observer.(stores.Repairer).Repair(ctx, time.Minute)
			if did != "" || err != nil {
				t.Logf("repair: %q, %v", did, err)
			}
			if did != "" {
				mu.Lock()
				repaired = append(repaired, did)
				mu.Unlock()
			}
			select {
			case <-again.C:
			case <-ctx.Done():
				return
			}
		}
	})
	t.Cleanup(func() {
		cancel()
		all.Wait()
		if err := observer.Close(); err != nil {
			t.Error(err)
		}
	})
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(repaired)
	}
}

// awaitRepairs waits until so many are done: members may serve before the repairer has its answer.
func awaitRepairs(repaired func() []string, count int) []string {
	did := repaired()
	for deadline := time.Now().Add(opTimeout); len(did) < count && time.Now().Before(deadline); did = repaired() {
		time.Sleep(10 * time.Millisecond)
	}
	return did
}
