package conformance

import (
	"context"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// servers is a store of processes on loopback.
type servers struct {
	config  stores.Config
	members []*Process
	peers   []string // addresses of the members for each other, where a test needs them
	data    []string // folders of what the members keep, where a test needs them
}

// await waits until the store serves.
func (s *servers) await(t testing.TB, target Target) {
	t.Helper()
	driver, err := target.Entry.Open(target.Config)
	if err != nil {
		t.Fatal(err)
	}
	defer driver.Close()
	ctx, cancel := context.WithTimeout(t.Context(), settleTimeout)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		err := driver.Ping(ctx)
		if err == nil {
			return
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			t.Fatalf("the store doesn't answer within %v: %v", settleTimeout, err)
		}
	}
}

func (s *servers) Freeze(t *testing.T, member int) { s.members[member].Freeze(t) }
func (s *servers) Kill(t *testing.T, member int)   { s.members[member].Kill(t) }
func (s *servers) Start(t *testing.T, member int)  { s.members[member].Start(t) }
