package render_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

func TestTextFromPodsIsEscapedInMarkdown(t *testing.T) {
	const (
		hostile = "A|B<script>\r\nnext \\| `0` [*](x)"
		escaped = `A\|B&lt;script>  next \\\| '0' \[\*](x)`
	)
	because := []report.Reason{{Reason: report.FileCorrupt, Workload: "a", Message: hostile}}
	document, err := reporttest.Report(t, reporttest.NewSituation().Build(t)).JSON()
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*report.Report){
		"the operation of an error":   func(r *report.Report) { r.Workloads[0].Errors = []report.ErrorCount{{Operation: hostile}} },
		"the outcome of an error":     func(r *report.Report) { r.Workloads[0].Errors = []report.ErrorCount{{Outcome: hostile}} },
		"the code of an error":        func(r *report.Report) { r.Workloads[0].Errors = []report.ErrorCount{{Code: hostile}} },
		"the example of an error":     func(r *report.Report) { r.Workloads[0].Errors = []report.ErrorCount{{Example: hostile}} },
		"a reason against a loading":  func(r *report.Report) { r.Workloads[0].Loading.InvalidReasons = because },
		"a reason":                    func(r *report.Report) { r.InvalidReasons = because },
		"a reason that wasn't judged": func(r *report.Report) { r.NotJudged = because },
		"a remark":                    func(r *report.Report) { r.Remarks = because },
		"a repair":                    func(r *report.Report) { r.Repairs = []report.Repair{{What: hostile}} },
		"a target":                    func(r *report.Report) { r.Faults[0].Target = hostile },
		"the leader before a fault":   func(r *report.Report) { r.Faults[0].LeaderBefore = hostile },
		"the leader after a fault":    func(r *report.Report) { r.Faults[0].LeaderAfter = hostile },
		"a shard that was hit apart":  func(r *report.Report) { r.Faults[0].Series = []report.FaultSeries{{Operation: "READ", Shard: hostile}} },
		"a shard that wasn't resolved": func(r *report.Report) {
			r.Faults[0].NotResolved = []report.SeriesName{{Operation: "READ", Shard: hostile}}
		},
		"a member that told its usage": func(r *report.Report) {
			r.Workloads[0].Usage = &report.Usage{Members: []report.MemberUsage{{Member: hostile}}}
		},
		"why a fault ended early": func(r *report.Report) {
			r.Faults[0].DurationMicros, r.Faults[0].EndedAt, r.Faults[0].Reason = new(int64), r.Faults[0].InjectedAt, hostile
		},
		"a member that was separated": func(r *report.Report) { r.Faults[0].DurationMicros, r.Faults[0].Peers = new(int64), []string{hostile} },
		"a node": func(r *report.Report) {
			r.Environment = &bundle.Environment{Nodes: []bundle.Node{{Name: hostile}}}
		},
		"a kernel": func(r *report.Report) {
			r.Environment = &bundle.Environment{Nodes: []bundle.Node{{Name: "n", Kernel: hostile}}}
		},
		"a file": func(r *report.Report) { r.Files = []plan.File{{Key: hostile}} },
	} {
		t.Run(name, func(t *testing.T) {
			r := new(report.Report)
			if err := json.Unmarshal(document, r); err != nil {
				t.Fatal(err)
			}
			change(r)
			text := string(render.Markdown(r))
			if !strings.Contains(text, escaped) || strings.Contains(text, "<script>") || strings.Contains(text, "A|B") || strings.Contains(text, "\nnext") {
				t.Errorf("it is not escaped in\n%s", text)
			}
		})
	}
}
