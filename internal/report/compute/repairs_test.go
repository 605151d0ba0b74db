package compute_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

func TestAReportTellsWhatWasRepaired(t *testing.T) {
	for name, whats := range map[string][]string{
		"nothing":  {},
		"a member": {"m-1 was promoted"},
		"again":    {"m-1 was promoted", "m-2 was promoted"},
	} {
		t.Run(name, func(t *testing.T) {
			s := reporttest.NewSituation()
			var want []report.Repair
			for i, what := range whats {
				line := &s.Topology[3+5*i]
				line.Repair = what
				want = append(want, report.Repair{Time: instant.Unix(line.AtUnixNanos).RFC3339(), What: what})
			}
			r := reporttest.Report(t, s.Build(t))
			if !slices.Equal(r.Repairs, want) || r.Repairs == nil || !r.Valid {
				t.Errorf("%+v, want %+v; %v", r.Repairs, want, r.InvalidReasons)
			}
			text := string(render.Markdown(r))
			if got := strings.Contains(text, "## Repairs"); got != (len(want) > 0) {
				t.Errorf("it has a heading for repairs: %t\n%s", got, text)
			}
			for _, repair := range want {
				if !strings.Contains(text, "- "+repair.Time+": "+repair.What+"\n") {
					t.Errorf("%+v is missing in\n%s", repair, text)
				}
			}
		})
	}
}
