package judge

import (
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/telemetry"
)

func TestWhetherAGeneratorHadCoresToSpare(t *testing.T) {
	for _, c := range []struct {
		name string
		bundletest.Witness
		want capacity
	}{
		{"the store is on another machine", bundletest.Witness{Cores: 2, Usable: 2, Own: 600, Idle: 1350}, toSpare},
		{"the store pauses for the second", bundletest.Witness{Cores: 2, Usable: 2, Own: 20, Idle: 1970}, toSpare},
		{"it has one processor of two cores, and fills it", bundletest.Witness{Cores: 2, Usable: 1, Own: 970, Idle: 360}, noneToSpare},
		{"it has one processor of two cores, and doesn't fill it", bundletest.Witness{Cores: 2, Usable: 1, Own: 660, Idle: 340}, toSpare},
		{"it fills both cores", bundletest.Witness{Cores: 2, Usable: 2, Own: 1900, Waited: 30}, noneToSpare},
		{"just below the limit", bundletest.Witness{Cores: 2, Usable: 2, Own: 1700, Waited: 99}, toSpare},
		{"at the limit", bundletest.Witness{Cores: 2, Usable: 2, Own: 1700, Waited: 100}, noneToSpare},

		// The store is on the same cores. How long threads waited for a core is known, and not for what the store
		// would have used it.
		{"the store leaves it what it wants of one core", bundletest.Witness{Cores: 1, Usable: 1, Own: 200, Waited: 300}, toSpare},
		{"both want all of one core", bundletest.Witness{Cores: 1, Usable: 1, Own: 450, Waited: 500}, noneToSpare},
		{"two cores are full, with three members, a control plane and it", bundletest.Witness{Cores: 2, Usable: 2, Own: 300, Waited: 950}, toSpare},
		{"it is one of so many that it waits all the time", bundletest.Witness{Cores: 2, Usable: 2, Own: 200, Waited: 1700}, noneToSpare},

		{"its quota is half a core of two", bundletest.Witness{Cores: 2, Usable: 2, Own: 500, Throttled: 450, Idle: 1400}, noneToSpare},
		{"it reaches its quota for a moment", bundletest.Witness{Cores: 2, Usable: 2, Own: 500, Throttled: 50, Idle: 1400}, toSpare},
		{"the hypervisor gives half of its cores to others", bundletest.Witness{Cores: 2, Usable: 2, Own: 500, Waited: 400, Stolen: 950}, noneToSpare},
		{"the hypervisor takes cores that it hardly wants", bundletest.Witness{Cores: 2, Usable: 2, Own: 50, Stolen: 150, Idle: 1700}, toSpare},
		{"the hypervisor takes a little of each of many cores, of which it may use two", bundletest.Witness{Cores: 64, Usable: 2, Own: 600, Stolen: 1920, Idle: 50_000}, toSpare},
		{"a collection with all of its cores", bundletest.Witness{Cores: 2, Usable: 2, Own: 1950}, noneToSpare},
		{"a collection that pauses it for 40 ms", bundletest.Witness{Cores: 2, Usable: 2, Own: 100, Idle: 1800}, toSpare},
		{"one line for four seconds in which it filled its core", bundletest.Witness{Cores: 1, Usable: 1, Own: 3800, Length: 4000}, noneToSpare},
		{"one line for four seconds in which it didn't", bundletest.Witness{Cores: 1, Usable: 1, Own: 1000, Length: 4000}, toSpare},

		{"threads alone are told, and the cores are full", bundletest.Witness{Usable: 2, Own: 1500, Waited: 400, NoMachine: true}, noneToSpare},
		{"threads alone are told, and they aren't", bundletest.Witness{Usable: 2, Own: 500, Waited: 400, NoMachine: true}, toSpare},
		{"the machine alone is told, and has idle cores", bundletest.Witness{Cores: 2, Usable: 2, Own: 500, Idle: 600, NoThreads: true}, toSpare},
		{"the machine alone is told, and has idle cores that it can't use", bundletest.Witness{Cores: 4, Usable: 1, Own: 950, Idle: 3000, NoThreads: true}, noneToSpare},
		{"the machine alone is told, and others fill it", bundletest.Witness{Cores: 2, Usable: 2, Own: 500, Idle: 50, NoThreads: true}, notTold},
		{"nor is its quota, and the cores are idle", bundletest.Witness{Cores: 2, Usable: 2, Own: 500, Idle: 1400, NoThreads: true, NoQuota: true}, notTold},
		{"nothing is told", bundletest.Witness{NoThreads: true, NoMachine: true}, notTold},
	} {
		line := &bundle.SelfSecond{LengthMicros: bundletest.Second}
		c.Tell(line)
		if err := telemetry.Check(&bundle.SelfLine{Second: line}); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		s := &telemetry.Worker{}
		s.Add(&bundle.SelfLine{Second: line})
		if got := capacityOf(&s.Seconds[0]); got != c.want {
			t.Errorf("%s: capacity %d, want %d", c.name, got, c.want)
		}
	}
}
