package observer

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// metered is a store of one member that tells its processor time: a second more each time.
type metered struct {
	members
	told int64
	age  time.Duration
}

func (m *metered) Usage(context.Context, time.Duration) []stores.Usage {
	m.told += 1e6
	cpu := m.told
	return []stores.Usage{{Member: "m-0", Age: m.age, CPUMicros: &cpu}}
}

func TestWhatMembersUseIsRecordedWithItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &metered{members: members{states: threeLedBy("m-0")}, age: 300 * time.Millisecond}
		watch, end := begin(t, store)
		start := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		metering := make(chan error)
		go func() { metering <- watch.meter(ctx) }()
		time.Sleep(5 * time.Second)
		cancel()
		if err := <-metering; err != context.Canceled {
			t.Error(err)
		}
		var told []stores.Usage
		for _, line := range end() {
			told = append(told, line.Usage...)
		}
		if len(told) != 3 {
			t.Fatalf("told %+v", told)
		}
		for i, used := range told {
			at := start.Add(time.Duration(i)*meterEvery + offset - store.age).UnixNano()
			if used.Member != "m-0" || used.AtUnixNanos != at || *used.CPUMicros != int64(i+1)*1e6 {
				t.Errorf("answer %d is %+v, %d µs of CPU, want it at %d", i, used, *used.CPUMicros, at)
			}
		}
	})
}

func TestAStoreThatDoesNotTellIsNotAsked(t *testing.T) {
	watch := newWatch(testOptions(t, &server{}), &members{})
	if err := watch.meter(t.Context()); err != nil {
		t.Error(err)
	}
}
