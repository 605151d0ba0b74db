package results

import (
	"math"
	"os"
	"runtime/debug"
)

// memoryOfNoLimit is what is taken for the limit where a process is under none.
const memoryOfNoLimit = 1 << 30

// MergeMemory is the memory that each of so many merges at a time may have, where all processes together
// have limit bytes: the server keeps a quarter.
func MergeMemory(limit int64, merges int) int64 {
	return orNoLimit(limit) / 4 * 3 / int64(merges)
}

// LimitMemory tells the collector of garbage to work harder above an eighth of limit, unless GOMEMLIMIT
// says something else. It is no hard bound: the kernel and what isn't the heap have as much again.
func LimitMemory(limit int64) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(orNoLimit(limit) / 8)
	}
}

func orNoLimit(limit int64) int64 {
	if limit == math.MaxInt64 {
		return memoryOfNoLimit
	}
	return limit
}
