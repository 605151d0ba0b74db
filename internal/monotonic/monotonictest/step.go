// Package monotonictest has the clock of a machine whose wall clock somebody sets, for tests.
package monotonictest

import (
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"
)

// Machine is a machine whose wall clock can be set; its monotonic clock is the real one.
type Machine struct{ off atomic.Int64 }

// Set sets the wall clock forward, or back, by full seconds from what it really is.
func (m *Machine) Set(by time.Duration) { m.off.Store(int64(by)) }

// Now is what time.Now says on that machine.
func (m *Machine) Now() time.Time { return set(time.Now(), time.Duration(m.off.Load())) }

// set moves a time's wall reading and leaves its monotonic one alone, as the kernel does.
// No function of package time does: it knows how time.Now packs the two, and looks whether
// that is still so.
func set(t time.Time, by time.Duration) time.Time {
	const (
		hasMonotonic = 1 << 63
		nanosBits    = 30
	)
	stepped := t
	word := (*uint64)(unsafe.Pointer(&stepped))
	if *word&hasMonotonic == 0 || by%time.Second != 0 {
		panic("monotonictest: the time has no monotonic reading, or the step is not of full seconds")
	}
	*word += uint64(by/time.Second) << nanosBits
	if stepped.Sub(t) != 0 || stepped.Round(0).Sub(t.Round(0)) != by {
		panic(fmt.Sprintf("monotonictest: package time packs its readings in another way now: %v became %v", t, stepped))
	}
	return stepped
}
