package run

import (
	"testing"
	"time"

	"github.com/kvbench/kvbench/controllers/run/state/statetest"
)

func TestARunsMemoryIsItsOwn(t *testing.T) {
	var m memories
	run := statetest.Given().Run
	if got := m.firstSeen(run); !got.IsZero() {
		t.Errorf("before its first pass it was seen at %s", got)
	}
	memory := m.recall(run, statetest.Epoch)
	memory.SampledAt = statetest.Epoch.Add(time.Second)
	m.keep(run, memory)
	if got := m.recall(run, statetest.Epoch.Add(time.Hour)); !got.FirstSeen.Equal(statetest.Epoch) || !got.SampledAt.Equal(statetest.Epoch.Add(time.Second)) {
		t.Errorf("it is remembered as %+v", got)
	}
	again := run.DeepCopy()
	again.UID = "of another run with the name"
	if got := m.recall(again, statetest.Epoch.Add(time.Hour)); !got.FirstSeen.Equal(statetest.Epoch.Add(time.Hour)) || !got.SampledAt.IsZero() {
		t.Errorf("another run of the name has %+v", got)
	}
	m.forget(keyOfRun(again))
	if got := m.firstSeen(again); !got.IsZero() {
		t.Errorf("after it is gone it was seen at %s", got)
	}
}
