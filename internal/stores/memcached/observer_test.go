package memcached

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// statistics are an answer of a process that began so many seconds after 1970, pid 1 as in each
// container.
func statistics(began, up int) string {
	return fmt.Sprintf("STAT pid 1\r\nSTAT uptime %d\r\nSTAT time %d\r\nSTAT rusage_user 1.250000\r\nSTAT rusage_system 0.500000\r\nSTAT curr_items 7\r\nEND\r\n", up, began+up)
}

func watching(t *testing.T, answer func() *string) *observer {
	t.Helper()
	address := greeted(t, func(string) *string { return answer() })
	o, err := Observe(stores.Config{Addresses: []string{address}, Names: []string{"m-0"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close() })
	return o.(*observer)
}

func TestAProcessIsKnownByWhenItBegan(t *testing.T) {
	var said atomic.Pointer[string]
	o := watching(t, said.Load)
	process := func(answer string) uint64 {
		t.Helper()
		said.Store(&answer)
		used := o.Usage(t.Context(), 10*time.Second)
		if len(used) != 1 || used[0].Member != "m-0" || *used[0].CPUMicros != 1_750_000 {
			t.Fatalf("%q gives %+v", answer, used)
		}
		state := o.Sample(t.Context(), 10*time.Second)[0]
		if !state.Healthy || state.Records == nil || *state.Records != 7 || state.Process != used[0].Process {
			t.Fatalf("%q gives %+v, and it uses %+v", answer, state, used)
		}
		return used[0].Process
	}
	first := process(statistics(1_700_000_000, 60))
	if later := process(statistics(1_700_000_000, 65)); first == 0 || later != first {
		t.Errorf("five seconds later it is %d, and was %d", later, first)
	}
	if next := process(statistics(1_700_000_063, 2)); next == 0 || next == first {
		t.Errorf("the next process is %d, and the first one was %d", next, first)
	}
	for _, silent := range []string{
		"STAT rusage_user 1.25\r\nSTAT rusage_system 0.5\r\nSTAT curr_items 7\r\nEND\r\n",
		"STAT pid 1\r\nSTAT uptime x\r\nSTAT time 9\r\nSTAT rusage_user 1.25\r\nSTAT rusage_system 0.5\r\nSTAT curr_items 7\r\nEND\r\n",
		"STAT uptime 1\r\nSTAT time 9\r\nSTAT rusage_user 1.25\r\nSTAT rusage_system 0.5\r\nSTAT curr_items 7\r\nEND\r\n",
	} {
		if got := process(silent); got != 0 {
			t.Errorf("%q is of process %d", silent, got)
		}
	}
}
