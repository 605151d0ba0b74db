package state

import (
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Memory is what this process remembers of one run between two passes. It is handed in to a pass,
// and what the pass learned is handed back. A process that starts anew remembers nothing, and its
// times count anew.
//
// Its times are of this process's clock. The stamps of objects are of the API server's clock, which
// may be an hour away: Chaos Mesh would be given up, or waited for, for an hour.
type Memory struct {
	// FirstSeen is when this process had its first pass for the run.
	FirstSeen time.Time
	// DeletedSince is when this process first saw that the run is being deleted; zero where it isn't.
	DeletedSince time.Time
	// SampledAt is when the run's observer was last asked what a wait is for; zero for never.
	SampledAt time.Time
	// InstallTrouble is why the last attempt to install the store failed; "" where none did.
	InstallTrouble string
	// TeardownTrouble is why the last attempt to remove what the run made failed; "" where it didn't.
	TeardownTrouble string
	// Faults are by the faults' names.
	Faults map[string]FaultMemory
	// Troubles are what keeps pods from running, by the pods' UIDs.
	Troubles map[types.UID]PodTrouble
}

// FaultMemory is of one object of a fault. A time that is zero stands for what wasn't seen.
type FaultMemory struct {
	Object string // its UID
	// DeletingSince is when the object was first seen to be deleted.
	DeletingSince time.Time
	// RefusedSince is when an attempt to delete it was first refused.
	RefusedSince time.Time
	// UnseenSince is when the API server first told that it is injected, and the cache did not.
	UnseenSince time.Time
}

// Clone shares no map with the memory.
func (m Memory) Clone() Memory {
	m.Faults, m.Troubles = maps.Clone(m.Faults), maps.Clone(m.Troubles)
	return m
}

// Fault is what is remembered of the object; one that was made anew has another UID, and is new.
func (m *Memory) Fault(name string, object string) FaultMemory {
	if known := m.Faults[name]; known.Object == object {
		return known
	}
	return FaultMemory{Object: object}
}

func (m *Memory) setFault(name string, is FaultMemory) {
	if m.Faults == nil {
		m.Faults = map[string]FaultMemory{}
	}
	m.Faults[name] = is
}

// Deleting notes that a fault's object is being deleted, and returns since when.
func (m *Memory) Deleting(name string, object string, now time.Time) time.Time {
	is := m.Fault(name, object)
	is.DeletingSince = FirstTime(is.DeletingSince, now)
	m.setFault(name, is)
	return is.DeletingSince
}

// Refused notes that an attempt to delete a fault's object was refused.
func (m *Memory) Refused(name string, object string, now time.Time) {
	is := m.Fault(name, object)
	is.RefusedSince = FirstTime(is.RefusedSince, now)
	m.setFault(name, is)
}

// ForgetRefusal lets the attempts to delete a fault's object count anew.
func (m *Memory) ForgetRefusal(name string) {
	if is, known := m.Faults[name]; known {
		is.RefusedSince = time.Time{}
		m.setFault(name, is)
	}
}

// Unseen notes that the cache doesn't show that a fault's object is injected, and returns since when.
func (m *Memory) Unseen(name string, object string, now time.Time) time.Time {
	is := m.Fault(name, object)
	is.UnseenSince = FirstTime(is.UnseenSince, now)
	m.setFault(name, is)
	return is.UnseenSince
}

// FirstTime is the time that is known, or now where none is.
func FirstTime(known, now time.Time) time.Time {
	if known.IsZero() {
		return now
	}
	return known
}

// Date completes the troubles that the run's pods have now with since when they have them, and
// keeps these alone. Of a pod's trouble the first words count, too: a pod's status doesn't tell
// since when, and what it says later differs in counts and times.
func (m *Memory) Date(now time.Time, lists ...[]PodTrouble) {
	before := m.Troubles
	m.Troubles = map[types.UID]PodTrouble{}
	for _, troubles := range lists {
		for i := range troubles {
			troubles[i] = troubles[i].after(before[troubles[i].Of], now)
			m.Troubles[troubles[i].Of] = troubles[i]
		}
	}
}
