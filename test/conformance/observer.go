package conformance

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

const (
	sampleTimeout = 250 * time.Millisecond
	// settleTimeout bounds an election, and the start of members: several of Java on a busy machine.
	settleTimeout = 2 * time.Minute
)

// Cluster is a store whose members the suite may end and start. A frozen one answers nothing until it is killed.
type Cluster interface {
	Freeze(t *testing.T, member int)
	Kill(t *testing.T, member int)
	Start(t *testing.T, member int)
}

// observe opens an observer of the target, which the caller closes.
func observe(t testing.TB, target Target) stores.Observer {
	t.Helper()
	observer, err := target.Entry.Observe(target.Config)
	if err != nil {
		t.Fatal(err)
	}
	return observer
}

// Observer runs every requirement on the observer.
func Observer(t *testing.T, target Target, cluster Cluster) {
	observer := observe(t, target)
	t.Cleanup(func() {
		if err := observer.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	if mode, _ := target.Entry.FindMode(target.Config.Mode); mode.Leader == "" {
		seesEquals(t, target, observer, cluster)
		return
	}
	seesALeader(t, target, observer, cluster)
}

// seesEquals is of a store none of whose members leads all others.
func seesEquals(t *testing.T, target Target, observer stores.Observer, cluster Cluster) {
	names := target.Config.Names
	for i, state := range settle(t, observer, "all healthy", allHealthy) {
		equal := state.Role == stores.MemberAlike || state.Role == stores.MemberPrimary || state.Role == stores.MemberReplica
		if state.Name != names[i] || !equal || state.Leader != "" || state.Term != 0 {
			t.Errorf("member %d: %+v, want %s, which doesn't lead", i, state, names[i])
		}
	}
	killed := len(names) - 1
	cluster.Kill(t, killed)
	after := settle(t, observer, "the killed one away, and the word of all others", func(states []stores.MemberState) bool {
		for i, state := range states {
			if i != killed && state.Role == stores.MemberUnknown || i == killed && state.Healthy {
				return false
			}
		}
		return true
	})
	for i, state := range after {
		if i == killed && (state.Role != stores.MemberUnknown || state.Error == "") || i != killed && !state.Healthy {
			t.Errorf("member %d, after %d was killed: %+v", i, killed, state)
		}
	}
	cluster.Start(t, killed)
	settle(t, observer, "all healthy again", allHealthy)
}

func seesALeader(t *testing.T, target Target, observer stores.Observer, cluster Cluster) {
	names := target.Config.Names
	before := settle(t, observer, "one leader known to all", func(states []stores.MemberState) bool {
		return ledBy(states) != "" && allHealthy(states)
	})
	for i, state := range before {
		if state.Name != names[i] || state.Term == 0 {
			t.Fatalf("member %d: %+v, want %s with a term", i, state, names[i])
		}
	}
	if len(names) < 3 {
		return
	}
	leader := indexOf(names, ledBy(before))
	cluster.Kill(t, leader)
	if mode, _ := target.Entry.FindMode(target.Config.Mode); !mode.Elects() {
		settle(t, observer, "no leader without the killed one", func(states []stores.MemberState) bool {
			return ledBy(states) == "" && states[leader].Role == stores.MemberUnknown && states[leader].Error != ""
		})
		cluster.Start(t, leader)
		settle(t, observer, "the same leader again", func(states []stores.MemberState) bool {
			return ledBy(states) == names[leader] && allHealthy(states)
		})
		return
	}
	// etcd's term is that of the last entry it applied, and comes a moment after the leader.
	after := settle(t, observer, "another leader, in a later term, without the killed one", func(states []stores.MemberState) bool {
		now := ledBy(states)
		return now != "" && now != names[leader] && states[leader].Role == stores.MemberUnknown &&
			states[indexOf(names, now)].Term > before[leader].Term
	})
	if state := after[leader]; state.Healthy || state.Error == "" {
		t.Errorf("the killed member: %+v", state)
	}
	cluster.Start(t, leader)
	settle(t, observer, "all healthy again", allHealthy)
}

// settle samples until the states are as they should be.
func settle(t testing.TB, observer stores.Observer, what string, as func([]stores.MemberState) bool) []stores.MemberState {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), settleTimeout)
	defer cancel()
	next := time.NewTicker(50 * time.Millisecond)
	defer next.Stop()
	for {
		states := sample(t, observer)
		if as(states) {
			return states
		}
		select {
		case <-next.C:
		case <-ctx.Done():
			t.Fatalf("not within %v: %s; last: %s", settleTimeout, what, fmt.Sprintf("%+v", states))
		}
	}
}

// sample holds the observer to its time, by a clock that runs only as long as this process does: each of
// its steps has to come due by itself.
func sample(t testing.TB, observer stores.Observer) []stores.MemberState {
	t.Helper()
	const steps = 8
	done, late := make(chan struct{}), make(chan bool, 1)
	go func() {
		for range steps {
			select {
			case <-done:
				late <- false
				return
			case <-time.After(4 * sampleTimeout / steps):
			}
		}
		late <- true
	}()
	states := observer.Sample(t.Context(), sampleTimeout)
	close(done)
	if <-late {
		t.Errorf("a sample took more than %v", 4*sampleTimeout)
	}
	return states
}

// ledBy is the member that leads by its own word and that of everyone who answers.
func ledBy(states []stores.MemberState) string {
	leader := ""
	for _, state := range states {
		if state.Role == stores.MemberLeader {
			leader = state.Name
		}
	}
	for _, state := range states {
		if state.Role != stores.MemberUnknown && state.Leader != leader {
			return ""
		}
	}
	return leader
}

func allHealthy(states []stores.MemberState) bool {
	for _, state := range states {
		if !state.Healthy {
			return false
		}
	}
	return true
}

func indexOf(names []string, name string) int {
	for i := range names {
		if names[i] == name {
			return i
		}
	}
	return -1
}
