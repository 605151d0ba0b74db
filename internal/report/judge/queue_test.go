package judge_test

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

func TestTheReportTellsOfConnections(t *testing.T) {
	s := reporttest.NewSituation()
	s.First = func(_ int64, self *bundle.SelfSecond) {
		self.Connections = &bundle.Connections{Opened: 1, ConnectMicros: 900, Lost: 3, Waited: 10, WaitMicros: 5000, WaitMaxMicros: 2000}
		self.Queued = 10
	}
	report := reporttest.Report(t, s.Build(t))
	g := report.Workloads[0].Generator
	if g.Connections == nil || g.Connections.Opened == 0 || g.Connections.Lost != 3*g.Connections.Opened || g.Connections.Waited != 10*g.Connections.Opened ||
		g.Connections.WaitMeanMicros != 500 || g.Connections.WaitMaxMicros != 2000 {
		t.Fatalf("%+v", g.Connections)
	}
	if text := string(render.Markdown(report)); !strings.Contains(text, "made in the measurement") || !strings.Contains(text, "waited for a place on one, 500 µs on average, 2.00 ms at most") {
		t.Errorf("%s", text)
	}
	plain := reporttest.Report(t, reporttest.NewSituation().Build(t)).Workloads[0].Generator
	if plain.Connections != nil {
		t.Errorf("without any: %+v", plain.Connections)
	}
	// Seconds in which operations waited are judged by the generator's cores.
	if g.JudgedSeconds != plain.JudgedSeconds || g.Connections.WaitedCrowded != 0 {
		t.Errorf("%d seconds are judged, and %d where none waited", g.JudgedSeconds, plain.JudgedSeconds)
	}
}

func TestTheGeneratorsOwnWorkIsNoWaitForTheStore(t *testing.T) {
	for _, c := range []struct {
		name       string
		slots, own int64
		limited    func(sent int64) int64 // of a second
		says       string
	}{
		{"a tenth", 1_000_000, 99_000, func(sent int64) int64 { return sent }, ""},
		{"more than a tenth", 1_000_000, 110_000, func(sent int64) int64 { return sent },
			"of the time for which operations waited for a slot, or a place on a connection, of worker 0, 11 % was the generator's own work"},
		{"more than a tenth, of few", 100_000, 90_000, func(sent int64) int64 { return sent / 200 }, ""},
		{"nothing", 0, 0, func(int64) int64 { return 0 }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := reporttest.NewSituation()
			s.First = func(second int64, self *bundle.SelfSecond) {
				self.SlotMicros, self.SlotOwnMicros, self.Limited = c.slots, c.own, c.limited(self.Sent)
			}
			reasons := reporttest.Report(t, s.Build(t)).InvalidReasons
			if c.says == "" && len(reasons) > 0 {
				t.Errorf("reasons %+v", reasons)
			}
			if c.says != "" && (len(reasons) != 1 || reasons[0].Reason != report.GeneratorLag || !strings.Contains(reasons[0].Message, c.says)) {
				t.Errorf("reasons %+v, want %q", reasons, c.says)
			}
		})
	}
}
