package observer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

const offset = 5 * time.Hour // of the server's clock

// members is a store whose topology the test sets.
type members struct {
	mu     sync.Mutex
	states []stores.MemberState
	asked  int
}

// threeLedBy is a steady store; "" is one that elects.
func threeLedBy(leader string) []stores.MemberState {
	var states []stores.MemberState
	for _, name := range []string{"m-0", "m-1", "m-2"} {
		state := say(name, stores.MemberFollower, leader, 7)
		if name == leader {
			state.Role = stores.MemberLeader
		}
		states = append(states, state)
	}
	return states
}

func (m *members) set(states []stores.MemberState) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.states = states
}

func (m *members) Sample(context.Context, time.Duration) []stores.MemberState {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	states := slices.Clone(m.states)
	for i := range states {
		states[i].Commit = uint64(m.asked) // it moves with every write
	}
	return states
}

func (m *members) Close() error { return nil }

// server is the results server's part; it fails as often as it is told.
type server struct {
	mu       sync.Mutex
	failures []error
	claims   []bundle.Writer
	content  bytes.Buffer
	ended    bool
	// off and bound are of the next estimate of the clock.
	off, bound int64
}

func (s *server) Claim(_ context.Context, _ string, w bundle.Writer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.failures) > 0 {
		err := s.failures[0]
		s.failures = s.failures[1:]
		return err
	}
	s.claims = append(s.claims, w)
	return nil
}

func (s *server) EstimateClock(context.Context, int) (bundle.Clock, error) {
	return bundle.Clock{OffsetNanos: int64(offset) + s.off, BoundNanos: max(1000, s.bound)}, nil
}

func (s *server) Append(_ context.Context, _, _ string, at int64, data []byte) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at != int64(s.content.Len()) {
		return 0, fmt.Errorf("offset %d, length %d", at, s.content.Len())
	}
	s.content.Write(data)
	return int64(s.content.Len()), nil
}

func (s *server) NearlyFull() bool { return false }

func (s *server) End(_ context.Context, _, _ string, mark bundle.End) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if mark.Length != int64(s.content.Len()) {
		return errors.New("another length")
	}
	s.ended = true
	return nil
}

func testOptions(t *testing.T, client Server) Options {
	p := &plan.Plan{
		Run: plan.Run{UID: "run-uid"},
		Store: plan.Store{Name: "etcd", Driver: "etcd", Consensus: true, Members: []plan.Member{
			{Name: "m-0", Address: "127.0.0.1:1"}, {Name: "m-1", Address: "127.0.0.1:1"}, {Name: "m-2", Address: "127.0.0.1:1"},
		}},
	}
	return withDefaults(Options{
		Plan: p, Client: client, DataDir: t.TempDir(), Listen: "127.0.0.1:0", Say: t.Logf,
		Writer: bundle.Writer{Role: bundle.RoleObserver, PodUID: "00000000-0000-0000-0000-000000000000"},
	})
}

func parseLines(t *testing.T, text string) []bundle.TopologyLine {
	t.Helper()
	var lines []bundle.TopologyLine
	for text := range strings.Lines(text) {
		var line bundle.TopologyLine
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%v in %q", err, text)
		}
		lines = append(lines, line)
	}
	return lines
}
