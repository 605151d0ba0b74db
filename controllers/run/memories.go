package run

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers/run/state"
)

// memories has the memory of each run that this process looks after. The zero value is ready.
type memories struct {
	mu sync.Mutex
	of map[types.NamespacedName]remembered
}

// remembered is of the run with that UID: another run may have had the name before.
type remembered struct {
	run    types.UID
	memory state.Memory
}

func keyOfRun(run *v1alpha1.BenchmarkRun) types.NamespacedName {
	return types.NamespacedName{Namespace: run.Namespace, Name: run.Name}
}

// recall returns the run's memory, which begins now where there is none.
func (m *memories) recall(run *v1alpha1.BenchmarkRun, now time.Time) state.Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.of[keyOfRun(run)]; known.run == run.UID {
		return known.memory
	}
	begun := state.Memory{FirstSeen: now}
	m.set(run, begun)
	return begun
}

// keep replaces the run's memory.
func (m *memories) keep(run *v1alpha1.BenchmarkRun, memory state.Memory) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.set(run, memory)
}

func (m *memories) set(run *v1alpha1.BenchmarkRun, memory state.Memory) {
	if m.of == nil {
		m.of = map[types.NamespacedName]remembered{}
	}
	m.of[keyOfRun(run)] = remembered{run.UID, memory}
}

// forget is for a run that is gone.
func (m *memories) forget(run types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.of, run)
}

// firstSeen is when this process had its first pass for the run; zero where it had none.
func (m *memories) firstSeen(run *v1alpha1.BenchmarkRun) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.of[keyOfRun(run)]; known.run == run.UID {
		return known.memory.FirstSeen
	}
	return time.Time{}
}
