package objective

import (
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
)

func TestBoundsAreReadAsPeopleWriteThem(t *testing.T) {
	for _, c := range []struct {
		metric, text string
		want         float64
		said         string
	}{
		{"p99", "20ms", 0.02, "p99 at most 20ms"},
		{"p50", "1m30s", 90, "p50 at most 1m30s"},
		{"outage", "2m", 120, "outage at most 2m"},
		{"throughput", "2000", 2000, "throughput at least 2000"},
		{"throughput", "0.5", 0.5, "throughput at least 0.5"},
		{"errors", "0.1%", 0.001, "errors at most 0.1 %"},
		{"errors", "0.7 %", 0.007, "errors at most 0.7 %"},
		{"errors", "0", 0, "errors at most 0 %"},
		{"errors", "100%", 1, "errors at most 100 %"},
		{"recordsLost", "0", 0, "records lost 0"},
		{"recordsLost", "12", 12, "records lost at most 12"},
	} {
		metric, _ := Find(c.metric)
		got, err := metric.Bound(c.text)
		if err != nil || got != c.want {
			t.Errorf("%s %q: %v, %v", c.metric, c.text, got, err)
		}
		o := plan.Objective{Metric: c.metric, AtMost: &got}
		if metric.HigherIsBetter {
			o.AtMost, o.AtLeast = nil, &got
		}
		if said := Text(&o); said != c.said {
			t.Errorf("%q, want %q", said, c.said)
		}
	}
	if ratio, err := RatioBound("95%"); err != nil || ratio != 0.95 {
		t.Errorf("%v, %v", ratio, err)
	}
}

func TestBoundsThatAreNoneAreRefused(t *testing.T) {
	for _, c := range []struct{ metric, text string }{
		{"p99", "20"}, {"p99", "0s"}, {"p99", "-1s"}, {"p99", ""}, {"p99", "5%"},
		{"throughput", "0"}, {"throughput", "-5"}, {"throughput", "NaN"}, {"throughput", "Inf"}, {"throughput", "95%"}, {"throughput", "fast"},
		{"errors", "0.1"}, {"errors", "101%"}, {"errors", "%"}, {"errors", "-1%"}, {"errors", "1e9%"}, {"errors", "NaN%"}, {"errors", "1.2.3%"},
		{"recordsLost", "-1"}, {"recordsLost", "0.5"}, {"recordsLost", "99999999999999999999"},
		{"throughput", strings.Repeat("1", 33)},
	} {
		metric, _ := Find(c.metric)
		if got, err := metric.Bound(c.text); err == nil {
			t.Errorf("%s %q is %v", c.metric, c.text, got)
		}
	}
	for _, text := range []string{"95", "0%", "", "-5%", strings.Repeat("1", 40) + "%"} {
		if got, err := RatioBound(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// measured is the report of a workload with reads, updates that all failed, and two faults.
func measured() *report.Report {
	return &report.Report{
		Valid: true,
		Workloads: []report.Workload{{
			Name: "a", Throughput: 1999.5, Intended: 1000, Succeeded: 993,
			Operations: []report.Operation{
				{Operation: "READ", Outcome: "ok", Count: 993, ResponseTime: &report.Latency{P50Micros: 500, P99Micros: 20_000}},
				{Operation: "UPDATE", Outcome: "failed", Count: 7},
			},
		}},
		Faults: []report.Fault{
			{Name: "one", Workload: "a", OutageMicros: ptr.To[int64](1_000_000), RecordsLost: ptr.To[int64](3)},
			{Name: "two", Workload: "a", OutageMicros: ptr.To[int64](2_000_000), OutageCensored: true, RecordsLost: ptr.To[int64](4)},
			{Name: "three", Workload: "a", OutageMicros: ptr.To[int64](1_500_000)},
		},
	}
}

func most(metric string, bound float64, change ...func(*plan.Objective)) plan.Objective {
	o := plan.Objective{Metric: metric, AtMost: &bound}
	for _, do := range change {
		do(&o)
	}
	return o
}

func TestARunIsJudgedByItsOwnFigures(t *testing.T) {
	reads := func(o *plan.Objective) { o.Operation = "READ" }
	updates := func(o *plan.Objective) { o.Operation = "UPDATE" }
	scans := func(o *plan.Objective) { o.Operation = "SCAN" }
	median := func(o *plan.Objective) { o.Statistic = plan.StatisticMedian }
	longest := func(o *plan.Objective) { o.Statistic = plan.StatisticMax }
	elsewhere := func(o *plan.Objective) { o.Workload = "b" }
	for _, c := range []struct {
		objective plan.Objective
		verdict   string
		says      string
	}{
		{plan.Objective{Metric: "throughput", AtLeast: ptr.To(1999.5)}, "Passed", "throughput at least 1999.5: 2000/s in workload a"},
		{plan.Objective{Metric: "throughput", AtLeast: ptr.To(2000.0)}, "Failed", "throughput at least 2000: 1999.5/s in workload a"},
		{most("errors", 0.007), "Passed", "errors at most 0.7 %: 0.700 % in workload a"},
		{most("errors", 0.001), "Failed", "errors at most 0.1 %: 0.700 % in workload a"},
		{most("errors", 0.00699999), "Failed", "errors at most 0.699999 %: 0.7 % in workload a"},
		{most("p99", 0.019999999, reads), "Failed", "p99 of READ at most 19.999999ms: 20ms in workload a"},
		{most("p99", 0.02, reads), "Passed", "p99 of READ at most 20ms: 20.00 ms in workload a"},
		{most("p99", 0.0199, reads), "Failed", "p99 of READ at most 19.9ms: 20.00 ms in workload a"},
		{most("p99", 0.02), "Unknown", "p99 at most 20ms: no success of UPDATE in workload a"},
		{most("p99", 0.01), "Failed", "p99 at most 10ms: 20.00 ms of READ in workload a"},
		{most("p99", 0.02, updates), "Unknown", "p99 of UPDATE at most 20ms: no success in workload a"},
		{most("p99", 0.02, scans), "Unknown", "p99 of SCAN at most 20ms: there was no SCAN"},
		{most("p99", 0.02, reads, elsewhere), "Unknown", "p99 of READ at most 20ms in workload b: there was no READ"},
		{most("outage", 1.9, longest), "Failed", "outage max at most 1.9s: 2.000 s or more in workload a"},
		{most("outage", 2, longest), "Unknown", "outage max at most 2s: 2.000 s or more (it is known as a lower bound only) in workload a"},
		{most("outage", 1.5, median), "Passed", "outage median at most 1.5s: 1.500 s in workload a"},
		{most("outage", 1.4, median), "Failed", "outage median at most 1.4s: 1.500 s in workload a"},
		{most("recordsLost", 6), "Failed", "records lost at most 6: 7 or more in workload a"},
		{most("recordsLost", 7), "Unknown", "records lost at most 7: 7 or more (nobody knows it of the fault three) in workload a"},
		{most("entropy", 7), "Unknown", "entropy: this kvbench doesn't know the metric entropy"},
	} {
		r := measured()
		Judge(r, []plan.Objective{c.objective})
		if r.Verdict != c.verdict || r.Objectives[0].Verdict != c.verdict {
			t.Errorf("%s: %s, want %s", Text(&c.objective), r.Verdict, c.verdict)
		}
		if says := Message(&r.Objectives[0]); says != c.says {
			t.Errorf("%q, want %q", says, c.says)
		}
	}
}

func TestOneObjectiveThatIsMissedFailsARun(t *testing.T) {
	kept, missed, unknown := most("errors", 0.01), most("errors", 0.001), most("recordsLost", 7)
	for verdict, objectives := range map[string][]plan.Objective{
		"Passed": {kept, kept}, "Failed": {kept, unknown, missed}, "Unknown": {kept, unknown}, "": nil,
	} {
		r := measured()
		if Judge(r, objectives); r.Verdict != verdict || len(r.Objectives) != len(objectives) {
			t.Errorf("%s with %d, want %s", r.Verdict, len(r.Objectives), verdict)
		}
	}
}

func TestNumbersThatAreNotValidProveNothing(t *testing.T) {
	for _, bound := range []float64{0.01, 0.001} {
		r := measured()
		r.Valid = false
		Judge(r, []plan.Objective{most("errors", bound)})
		if r.Verdict != "Unknown" || !strings.Contains(Message(&r.Objectives[0]), "not valid") {
			t.Errorf("%s: %s", r.Verdict, Message(&r.Objectives[0]))
		}
	}
}

// Reads don't bring back a record that was lost, so what was counted is all.
func TestRecordsLostAreCountedWholeWhereNobodyWrites(t *testing.T) {
	r := measured()
	r.Workloads[0].Operations = r.Workloads[0].Operations[:1]
	r.Faults[2].RecordsLost = ptr.To[int64](0)
	Judge(r, []plan.Objective{most("recordsLost", 7)})
	if r.Verdict != "Passed" {
		t.Errorf("%s", Message(&r.Objectives[0]))
	}
}
