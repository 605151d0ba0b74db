package results

import (
	"math"
	"os"
	"runtime/debug"
	"time"
)

// Limits bound what callers can make the server hold. All of them apply to authenticated
// callers too: a tenant's pods are not to be trusted with the disk.
type Limits struct {
	Runs          int    // runs kept at once
	FilesPerRun   int    // streamed files of one run
	BytesPerRun   int64  // streamed bytes of one run
	ClaimsPerRun  int    // lines of one run's claims
	ReserveBytes  uint64 // free disk space below which new runs are refused
	Uploads       int    // appends under way at once
	UploadsPerRun int    // the same, of one run
	Digests       int    // end marks that are checked at once
	Merges        int    // reports that are made at once
	Downloads     int    // archives under way at once
	Views         int    // live views under way at once
	Followed      int    // runs whose seconds are streamed at once
	Connections   int    // open connections
	// ConnectionsPerSource is how many of them one address may hold, so that one pod can't
	// keep the others out.
	ConnectionsPerSource int
	Reviews              int // token reviews under way at once
	CachedTokens         int // cached reviews of valid tokens, and as many of others
	PlanBytes            int64
	FaultsBytes          int64
	RequestBytes         int64 // any other body but an append's
	HeaderBytes          int
	RequestLimit         time.Duration // reading or writing one ordinary request
	TransferLimit        time.Duration // writing one piece of a file
}

// DefaultLimits suit a volume of some gigabytes and a process of 64 MB beside its merges.
func DefaultLimits() Limits {
	return Limits{
		Runs:          1000,
		FilesPerRun:   4000,
		BytesPerRun:   4 << 30,
		ClaimsPerRun:  1100,
		ReserveBytes:  256 << 20,
		Uploads:       64,
		UploadsPerRun: 16,
		Digests:       2,
		Merges:        2,
		Downloads:     4,
		Views:         4,
		Followed:      8,
		Connections:   384,

		ConnectionsPerSource: 96,
		Reviews:              8,
		CachedTokens:         1024,
		PlanBytes:            1 << 20,
		FaultsBytes:          1 << 20,
		RequestBytes:         4 << 10,
		HeaderBytes:          16 << 10,
		RequestLimit:         time.Minute,
		TransferLimit:        30 * time.Second,
	}
}

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
