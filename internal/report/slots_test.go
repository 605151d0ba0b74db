package report

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
)

func TestTheGeneratorsOwnWorkIsNoWaitForTheStore(t *testing.T) {
	for _, c := range []struct {
		name       string
		slots, own int64
		limited    func(sent int64) int64 // of a second
		says       string
	}{
		{"a tenth", 1_000_000, 99_000, func(sent int64) int64 { return sent }, ""},
		{"more than a tenth", 1_000_000, 110_000, func(sent int64) int64 { return sent },
			"of the time for which operations waited for a slot of worker 0, 11 % was the generator's own work"},
		{"more than a tenth, of few", 100_000, 90_000, func(sent int64) int64 { return sent / 200 }, ""},
		{"nothing", 0, 0, func(int64) int64 { return 0 }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSituation()
			s.first = func(second int64, self *bundle.SelfSecond) {
				self.SlotMicros, self.SlotOwnMicros, self.Limited = c.slots, c.own, c.limited(self.Sent)
			}
			reasons := reportOf(t, s.build(t)).InvalidReasons
			if c.says == "" && len(reasons) > 0 {
				t.Errorf("reasons %+v", reasons)
			}
			if c.says != "" && (len(reasons) != 1 || reasons[0].Reason != GeneratorLag || !strings.Contains(reasons[0].Message, c.says)) {
				t.Errorf("reasons %+v, want %q", reasons, c.says)
			}
		})
	}
}
