package report

import (
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
)

// witness is what a machine told of a second. Times are in milliseconds of it.
type witness struct {
	cores, usable             int64
	own, waited, stolen, idle int64
	throttled                 int64
	length                    int64 // 1,000 if it isn't said
	noThreads, noMachine      bool  // the kernel doesn't say
	noQuota                   bool
}

func (w witness) tell(s *bundle.SelfSecond) {
	s.ThrottledMicros, s.Cores, s.Machine = new(w.throttled*ms), nil, nil
	if w.length > 0 {
		s.LengthMicros = w.length * ms
	}
	if w.noQuota {
		s.ThrottledMicros = nil
	}
	if !w.noThreads {
		s.Cores = &bundle.Cores{Count: int(w.usable), RanMicros: w.own * ms, WaitedMicros: w.waited * ms}
	}
	if !w.noMachine {
		s.Machine = &bundle.Machine{Cores: int(w.cores), Usable: int(w.usable), OwnMicros: w.own * ms, StolenMicros: w.stolen * ms, IdleMicros: w.idle * ms}
	}
}

func TestWhetherAGeneratorHadCoresToSpare(t *testing.T) {
	for _, c := range []struct {
		name string
		witness
		want room
	}{
		{"the store is on another machine", witness{cores: 2, usable: 2, own: 600, idle: 1350}, toSpare},
		{"the store pauses for the second", witness{cores: 2, usable: 2, own: 20, idle: 1970}, toSpare},
		{"it has one processor of two cores, and fills it", witness{cores: 2, usable: 1, own: 970, idle: 360}, noRoom},
		{"it has one processor of two cores, and doesn't fill it", witness{cores: 2, usable: 1, own: 660, idle: 340}, toSpare},
		{"it fills both cores", witness{cores: 2, usable: 2, own: 1900, waited: 30}, noRoom},
		{"just below the limit", witness{cores: 2, usable: 2, own: 1700, waited: 99}, toSpare},
		{"at the limit", witness{cores: 2, usable: 2, own: 1700, waited: 100}, noRoom},

		// The store is on the same cores. How long threads waited for a core is known, and not for what the store
		// would have used it.
		{"the store leaves it what it wants of one core", witness{cores: 1, usable: 1, own: 200, waited: 300}, toSpare},
		{"both want all of one core", witness{cores: 1, usable: 1, own: 450, waited: 500}, noRoom},
		{"two cores are full, with three members, a control plane and it", witness{cores: 2, usable: 2, own: 300, waited: 950}, toSpare},
		{"it is one of so many that it waits all the time", witness{cores: 2, usable: 2, own: 200, waited: 1700}, noRoom},

		{"its quota is half a core of two", witness{cores: 2, usable: 2, own: 500, throttled: 450, idle: 1400}, noRoom},
		{"it reaches its quota for a moment", witness{cores: 2, usable: 2, own: 500, throttled: 50, idle: 1400}, toSpare},
		{"the hypervisor gives half of its cores to others", witness{cores: 2, usable: 2, own: 500, waited: 400, stolen: 950}, noRoom},
		{"the hypervisor takes cores that it hardly wants", witness{cores: 2, usable: 2, own: 50, stolen: 150, idle: 1700}, toSpare},
		{"the hypervisor takes a little of each of many cores, of which it may use two", witness{cores: 64, usable: 2, own: 600, stolen: 1920, idle: 50_000}, toSpare},
		{"a collection with all of its cores", witness{cores: 2, usable: 2, own: 1950}, noRoom},
		{"a collection that pauses it for 40 ms", witness{cores: 2, usable: 2, own: 100, idle: 1800}, toSpare},
		{"one line for four seconds in which it filled its core", witness{cores: 1, usable: 1, own: 3800, length: 4000}, noRoom},
		{"one line for four seconds in which it didn't", witness{cores: 1, usable: 1, own: 1000, length: 4000}, toSpare},

		{"threads alone are told, and the cores are full", witness{usable: 2, own: 1500, waited: 400, noMachine: true}, noRoom},
		{"threads alone are told, and they aren't", witness{usable: 2, own: 500, waited: 400, noMachine: true}, toSpare},
		{"the machine alone is told, and has idle cores", witness{cores: 2, usable: 2, own: 500, idle: 600, noThreads: true}, toSpare},
		{"the machine alone is told, and has idle cores that it can't use", witness{cores: 4, usable: 1, own: 950, idle: 3000, noThreads: true}, noRoom},
		{"the machine alone is told, and others fill it", witness{cores: 2, usable: 2, own: 500, idle: 50, noThreads: true}, notTold},
		{"nor is its quota, and the cores are idle", witness{cores: 2, usable: 2, own: 500, idle: 1400, noThreads: true, noQuota: true}, notTold},
		{"nothing is told", witness{noThreads: true, noMachine: true}, notTold},
	} {
		line := &bundle.SelfSecond{LengthMicros: sec}
		c.tell(line)
		if err := checkSecond(line); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		s := &selfOf{}
		s.add(&bundle.SelfLine{Second: line})
		if got := s.seconds[0].room(); got != c.want {
			t.Errorf("%s: room %d, want %d", c.name, got, c.want)
		}
	}
}

func TestAMachineThatCannotBeIsRefused(t *testing.T) {
	if err := checkSecond(&bundle.SelfSecond{LengthMicros: 40 * sec, Machine: &bundle.Machine{Cores: 128, Usable: 2, IdleMicros: 128 * 40 * sec}}); err != nil {
		t.Errorf("many cores in a long line: %v", err)
	}
	for _, m := range []bundle.Machine{
		{Cores: 0, Usable: 0}, {Cores: 2, Usable: 3}, {Cores: 2, Usable: -1}, {Cores: 1 << 40, Usable: 1},
		{Cores: 2, Usable: 2, IdleMicros: -1}, {Cores: 2, Usable: 2, StolenMicros: 1 << 40}, {Cores: 2, Usable: 2, OwnMicros: -5},
	} {
		if checkSecond(&bundle.SelfSecond{LengthMicros: sec, Machine: &m}) == nil {
			t.Errorf("%+v was taken", m)
		}
	}
}
