package loadgen

import "runtime"

// ballastBytes are added to what the garbage collector believes to be in use.
const ballastBytes = 32 << 20

// ballast makes the garbage collector work seldom while the generator has next to nothing in memory.
//
// The collector begins when the heap has doubled. A worker has a few MiB in use, and scans of records
// of 1 kB make hundreds of MiB of garbage in a second: it would collect a hundred times in a second,
// and each time stop all threads. With the ballast it is a few times. Nobody writes to it, so it
// takes no memory itself: up to as much garbage does, and no more than that however much is in use.
func ballast() (release func()) {
	held := make([]byte, ballastBytes)
	return func() { runtime.KeepAlive(held) }
}
