package render_test

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

func TestFaultsThatLastAndOverlapAreShownSo(t *testing.T) {
	moment := func(seconds int64) report.Moment {
		return report.Moment{SinceStartMicros: report.FromMeasurement(seconds * bundletest.Second)}
	}
	lasts, recovered := int64(5*bundletest.Second), int64(700*bundletest.Millisecond)
	cut := report.Fault{
		Name: "cut", Action: "Cut", Target: "m-1", Targets: []string{"m-1"}, Peers: []string{"m-0", "m-2"}, DurationMicros: &lasts,
		EndedAt: &report.Bracket{After: moment(13), Before: moment(14)}, RecoveryMicros: &recovered,
		Reason: "PodReplaced",
	}
	second := report.Fault{
		Name: "second", Action: "Cut", Targets: []string{"m-0", "m-2"}, DurationMicros: &lasts, PartOf: "cut",
		InjectedAt: &report.Bracket{After: moment(9), Before: moment(10)},
	}
	r := reporttest.Report(t, reporttest.NewSituation().Build(t))
	cut.InjectedAt, cut.OutageMicros, cut.Outages, cut.DownTotalMicros, cut.LongestGapMicros =
		r.Faults[0].InjectedAt, r.Faults[0].OutageMicros, r.Faults[0].Outages, r.Faults[0].DownTotalMicros, r.Faults[0].LongestGapMicros
	markdown, text := string(render.Markdown(r)), render.Table(r)
	for _, absent := range []string{"episode", "lasted", "part of"} {
		if strings.Contains(markdown+text, absent) {
			t.Errorf("a run of a kill has %q", absent)
		}
	}
	r.Faults = []report.Fault{cut, second}
	markdown, text = string(render.Markdown(r)), render.Table(r)
	for _, want := range []string{
		"| second (Cut) | m-0, m-2 | +9.000 … +10.000 s | – | part of cut | – |",
		"| cut | m-0, m-2 | 5.000 s | +13.000 … +14.000 s (PodReplaced) | ≤ 700 ms |",
		"| second | – | 5.000 s | not seen | part of cut |",
		"Faults that overlap are one episode",
	} {
		if !strings.Contains(markdown, want) {
			t.Errorf("%q is not in\n%s", want, markdown)
		}
	}
	for _, want := range []string{"part of cut", "not seen", "≤ 700 ms"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
