package stores

import (
	"context"
	"sync"
	"time"
)

// Usage is what a member's process uses, as far as its store tells. Counts begin with the
// process, or later: the difference between two looks, one after the other, is what was used meanwhile.
type Usage struct {
	Member string `json:"member"`
	// AtUnixNanos is when it was so, on the results server's clock; an observer sets it.
	AtUnixNanos int64 `json:"atUnixNanos"`
	// Age is how long it was so before the observer was told: 0 where the member was asked just now.
	Age time.Duration `json:"-"`
	// CPUMicros is user and system time.
	CPUMicros *int64 `json:"cpuMicros,omitempty"`
	// ResidentBytes is the memory that it has.
	ResidentBytes *int64 `json:"residentBytes,omitempty"`
	// DataBytes is what the store's data take on the disk.
	DataBytes *int64 `json:"dataBytes,omitempty"`
	// CollectorMicros is how long its garbage collector stopped it.
	CollectorMicros *int64 `json:"collectorMicros,omitempty"`
	// Process is the process's number (ProcessOf); 0 where the store doesn't tell one from another.
	// A count that has caught up with the one before doesn't show that it began anew.
	Process uint64 `json:"process,omitempty"`
}

// Meter is an observer whose members tell what they use.
type Meter interface {
	// Usage asks all members at once, and returns what those tell that answer in time.
	Usage(ctx context.Context, timeout time.Duration) []Usage
}

// GatherUsage asks so many members at once. ask returns nil for one that doesn't tell.
func GatherUsage(members int, ask func(member int) *Usage) []Usage {
	answers := make([]*Usage, members)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = ask(i) })
	}
	all.Wait()
	var told []Usage
	for _, used := range answers {
		if used != nil {
			told = append(told, *used)
		}
	}
	return told
}
