package judge

import (
	"testing"

	"github.com/kvbench/kvbench/internal/report"
)

func TestAFaultMayBeOffItsDurationByATenthAndByASecond(t *testing.T) {
	const ms = 1000
	for name, c := range map[string]struct {
		asked, injectedAfter, injectedBefore, endedAfter, endedBefore int64 // milliseconds
		missed                                                        bool
	}{
		"as asked":                                  {5_000, 0, 0, 5_000, 5_000, false},
		"a second longer":                           {5_000, 0, 100, 6_100, 9_000, false},
		"more than a second longer":                 {5_000, 0, 100, 6_101, 9_000, true},
		"a second shorter":                          {5_000, 0, 100, 3_000, 4_000, false},
		"more than a second shorter":                {5_000, 0, 100, 3_000, 3_999, true},
		"a tenth longer":                            {60_000, 0, 100, 66_100, 66_200, false},
		"more than a tenth longer":                  {60_000, 0, 100, 66_101, 66_200, true},
		"a tenth shorter":                           {60_000, 0, 100, 53_000, 54_000, false},
		"more than a tenth shorter":                 {60_000, 0, 100, 53_000, 53_999, true},
		"nobody knows which, and it may be right":   {5_000, 0, 100, 100, 600_000, false},
		"it may have ended before it was seen made": {5_000, 0, 30_000, 20_000, 20_100, false},
		"shorter than a second is never too short":  {900, 0, 100, 100, 200, false},
	} {
		t.Run(name, func(t *testing.T) {
			bracket := func(after, before int64) *report.Bracket {
				return &report.Bracket{
					After:  report.Moment{SinceStartMicros: report.FromMeasurement(after * ms)},
					Before: report.Moment{SinceStartMicros: report.FromMeasurement(before * ms)},
				}
			}
			asked := c.asked * ms
			f := report.Fault{DurationMicros: &asked, InjectedAt: bracket(c.injectedAfter, c.injectedBefore), EndedAt: bracket(c.endedAfter, c.endedBefore)}
			if l, missed := durationMissed(&f); missed != c.missed {
				t.Errorf("missed is %t: it lasted for %s", missed, l)
			}
		})
	}
}
