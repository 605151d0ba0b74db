package read_test

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/read"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

func TestAFaultIsToBeOneOfTheCatalog(t *testing.T) {
	for name, c := range map[string]struct {
		action        string
		planned, told int64 // milliseconds
		says          string
	}{
		"a kill":                            {"ContainerKill", 0, 0, ""},
		"a partition":                       {"Partition", 5000, 5000, ""},
		"an action of a later version":      {"Later", 0, 0, `doesn't know the action "Later"`},
		"one of a later version that lasts": {"Later", 5000, 5000, `doesn't know the action "Later"`},
		"no action":                         {"", 0, 0, `doesn't know the action ""`},
		"a kill that lasts by the plan":     {"ContainerKill", 5000, 0, `"kill" is to last for 5000 ms`},
		"a kill that lasts by its line":     {"PodKill", 0, 5000, `"kill" is to last for 5000 ms`},
		"an action of a very long name":     {strings.Repeat("x", 100_000), 0, 0, "doesn't know the action"},
	} {
		t.Run(name, func(t *testing.T) {
			s := reporttest.NewSituation()
			s.Plan.Faults[0].Action, s.Plan.Faults[0].DurationMillis = c.action, c.planned
			s.Fault.DurationMillis = c.told
			in, err := read.Bundle(s.Build(t).FS())
			if err != nil {
				t.Fatal(err)
			}
			if c.says == "" {
				if len(in.Problems) > 0 {
					t.Errorf("problems are %v", in.Problems)
				}
				return
			}
			if len(in.Problems) != 1 {
				t.Fatalf("problems are %v", in.Problems)
			}
			p := in.Problems[0]
			if p.Reason != report.FileCorrupt || p.Workload != "a" || p.Fault != "kill" || !strings.Contains(p.Message, c.says) || len(p.Message) > report.MaxReasonText {
				t.Errorf("problem is %+v", p)
			}
		})
	}
}
