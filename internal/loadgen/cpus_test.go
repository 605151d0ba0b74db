package loadgen

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
)

func TestASecondOfTheMachineIsToldOfItsOwnCores(t *testing.T) {
	const before = "cpu  900 0 0 900 0 0 0 0 0 0\ncpu0 100 0 50 300 10 0 0 5 0 0\ncpu1 1 2 3 4 5 6 7 8 9 10\ncpu2 7 7 7 7 7 7 7 7 7 7\nintr 9\n"
	for _, c := range []struct {
		name, after string
		want        *bundle.Machine
	}{
		{
			// Of the first one 20 ms idle, 10 ms waiting for a disk, 30 ms stolen; of the second 40 ms idle.
			name:  "two of three cores",
			after: "cpu  999 0 0 999 0 0 0 0 0 0\ncpu0 120 0 70 302 11 0 0 8 0 0\ncpu1 1 2 43 8 5 6 7 8 9 10\ncpu2 99 99 99 99 99 99 99 99 99 99\nintr 10\n",
			want:  &bundle.Machine{Cores: 2, Usable: 1, IdleMicros: 70_000, StolenMicros: 30_000, OwnMicros: 250_000},
		},
		{name: "a kernel that counts nothing", after: before},
		{name: "counts that go back", after: "cpu0 1 0 50 300 10 0 0 5 0 0\ncpu1 1 2 3 4 5 6 7 8 9 10\n"},
		{name: "other lines alone", after: "intr 10\n"},
		{name: "a kernel without steal", after: "cpu0 120 0 70 302 11 0 0\n"},
		{name: "no numbers", after: "cpu0 a b c d e f g h i j\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file, ran := filepath.Join(t.TempDir(), "stat"), time.Hour
			setStat(t, file, before)
			m := &cpus{stat: file, may: func(cpu int) bool { return cpu < 2 }, procs: func() int { return 1 }, ran: func() time.Duration { return ran }}
			m.since()
			ran += 250 * time.Millisecond
			setStat(t, file, c.after)
			got := m.since()
			if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

func TestThisMachineTellsOfItsCores(t *testing.T) {
	m := newCPUs()
	for began := time.Now(); time.Since(began) < 50*time.Millisecond; { // a few ticks
	}
	if got := m.since(); got == nil || got.Usable < 1 || got.Cores < got.Usable || got.OwnMicros == 0 {
		t.Errorf("%+v", got)
	}
	if (&cpus{stat: filepath.Join(t.TempDir(), "none")}).since() != nil {
		t.Error("what nobody tells is told")
	}
}
