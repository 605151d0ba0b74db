package conformance

import (
	"slices"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// Usage shows that each member tells what it uses, by its own name, and that its processor
// time grows. told says whether the rest is there that the store knows.
func Usage(t *testing.T, target Target, told func(stores.Usage) bool) {
	observer, err := target.Entry.Observe(target.Config)
	if err != nil {
		t.Fatal(err)
	}
	defer observer.Close()
	meter, ok := observer.(stores.Meter)
	if !ok {
		t.Fatal("the observer is no Meter")
	}
	first := map[string]int64{}
	deadline := time.Now().Add(settleTimeout)
	for {
		var grown []string
		for _, used := range meter.Usage(t.Context(), time.Second) {
			if used.CPUMicros == nil || !told(used) {
				t.Fatalf("member %s tells too little: %+v", used.Member, used)
			}
			before, seen := first[used.Member]
			switch {
			case !seen:
				first[used.Member] = *used.CPUMicros
			case *used.CPUMicros < before:
				t.Fatalf("the processor time of %s fell from %d to %d µs", used.Member, before, *used.CPUMicros)
			case *used.CPUMicros > before:
				grown = append(grown, used.Member)
			}
		}
		if slices.Equal(grown, target.Config.Names) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the processor time grew of %v, not of %v", grown, target.Config.Names)
		}
	}
}
