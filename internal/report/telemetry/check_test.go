package telemetry

import (
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/bundletest"
)

func TestAMachineThatCannotBeIsRefused(t *testing.T) {
	if err := checkSecond(&bundle.SelfSecond{LengthMicros: 40 * bundletest.Second, Machine: &bundle.Machine{Cores: 128, Usable: 2, IdleMicros: 128 * 40 * bundletest.Second}}); err != nil {
		t.Errorf("many cores in a long line: %v", err)
	}
	for _, m := range []bundle.Machine{
		{Cores: 0, Usable: 0}, {Cores: 2, Usable: 3}, {Cores: 2, Usable: -1}, {Cores: 1 << 40, Usable: 1},
		{Cores: 2, Usable: 2, IdleMicros: -1}, {Cores: 2, Usable: 2, StolenMicros: 1 << 40}, {Cores: 2, Usable: 2, OwnMicros: -5},
	} {
		if checkSecond(&bundle.SelfSecond{LengthMicros: bundletest.Second, Machine: &m}) == nil {
			t.Errorf("%+v was taken", m)
		}
	}
}
