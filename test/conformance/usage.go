package conformance

import (
	"slices"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// Usage shows that each member tells what it uses, by its own name and as one process, and that
// its processor time grows. told says whether the rest is there that the store knows.
func Usage(t *testing.T, target Target, told func(stores.Usage) bool) {
	observer := observe(t, target)
	defer observer.Close()
	meter, ok := observer.(stores.Meter)
	if !ok {
		t.Fatal("the observer is no Meter")
	}
	first, grown, processes := map[string]int64{}, map[string]bool{}, map[string]uint64{}
	deadline := time.After(settleTimeout)
	next := time.NewTicker(100 * time.Millisecond)
	defer next.Stop()
	for {
		for _, used := range meter.Usage(t.Context(), time.Second) {
			if used.CPUMicros == nil || !told(used) {
				t.Fatalf("member %s tells too little: %+v", used.Member, used)
			}
			if !slices.Contains(target.Config.Names, used.Member) {
				t.Fatalf("%q is none of %v", used.Member, target.Config.Names)
			}
			if last, known := processes[used.Member]; used.Process == 0 || known && used.Process != last {
				t.Fatalf("%s was process %d and is %d", used.Member, last, used.Process)
			}
			processes[used.Member] = used.Process
			before, seen := first[used.Member]
			switch {
			case !seen:
				first[used.Member] = *used.CPUMicros
			case *used.CPUMicros < before:
				t.Fatalf("the processor time of %s fell from %d to %d µs", used.Member, before, *used.CPUMicros)
			case *used.CPUMicros > before:
				grown[used.Member] = true
			}
		}
		if len(grown) == len(target.Config.Names) {
			return
		}
		select {
		case <-next.C:
		case <-deadline:
			t.Fatalf("the processor time grew of %v, not of all of %v", grown, target.Config.Names)
		}
	}
}
