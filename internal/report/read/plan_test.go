package read_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/compute"
	"github.com/kvbench/kvbench/internal/report/reporttest"
	"github.com/kvbench/kvbench/internal/report/values"
)

// A plan comes with its bundle, from anywhere: one that no spec can ask for gives no report,
// and at once.
func TestAPlanBeyondTheAPIsMaximumsGivesNoReport(t *testing.T) {
	built := reporttest.NewSituation().Build(t)
	for _, c := range []struct {
		name   string
		change func(*plan.Plan, *plan.Workload)
		says   string // empty: a report
	}{
		{"as it was", func(*plan.Plan, *plan.Workload) {}, ""},
		{"the API's maximums", func(_ *plan.Plan, w *plan.Workload) {
			w.DurationMillis, w.Records, w.Load = 86_400_000, 1e9, plan.Load{Workers: 100, Threads: 1024, Rate: 1e7, MaxInFlight: 1e6,
				WarmupMillis: 86_400_000, CooldownMillis: 86_400_000, OperationTimeoutMillis: 60_000}
		}, ""},
		{"300,000 years", func(_ *plan.Plan, w *plan.Workload) { w.DurationMillis = 9e15 }, "workloads[0].durationMillis is 9000000000000000"},
		{"a negative length", func(_ *plan.Plan, w *plan.Workload) { w.DurationMillis = -1 }, "durationMillis"},
		{"a long warm-up", func(_ *plan.Plan, w *plan.Workload) { w.Load.WarmupMillis = 86_400_001 }, "warmupMillis"},
		{"a long cool-down", func(_ *plan.Plan, w *plan.Workload) { w.Load.CooldownMillis = 86_400_001 }, "cooldownMillis"},
		{"a long deadline", func(_ *plan.Plan, w *plan.Workload) { w.Load.OperationTimeoutMillis = 60_001 }, "operationTimeoutMillis"},
		{"many workers", func(_ *plan.Plan, w *plan.Workload) { w.Load.Workers = 2_000_000_000 }, "workers is 2000000000"},
		{"negative workers", func(_ *plan.Plan, w *plan.Workload) { w.Load.Workers = -1 }, "workers"},
		{"many threads", func(_ *plan.Plan, w *plan.Workload) { w.Load.Threads = 1025 }, "threads"},
		{"a rate that no store takes", func(_ *plan.Plan, w *plan.Workload) { w.Load.Rate = 1e300 }, "rate"},
		{"a negative rate", func(_ *plan.Plan, w *plan.Workload) { w.Load.Rate = -1 }, "rate"},
		{"a file", func(p *plan.Plan, _ *plan.Workload) {
			p.Files = []plan.File{{Name: "m_k", ConfigMap: "m", Key: "k", Bytes: 1 << 20}}
		}, ""},
		{"too many files", func(p *plan.Plan, _ *plan.Workload) { p.Files = make([]plan.File, 130) }, "130 files"},
		{"a file of too long a name", func(p *plan.Plan, _ *plan.Workload) { p.Files = []plan.File{{Key: strings.Repeat("k", 256)}} }, "files[0]: a name has 256 bytes"},
		{"a file of too long a digest", func(p *plan.Plan, _ *plan.Workload) { p.Files = []plan.File{{SHA256: strings.Repeat("a", 65)}} }, "files[0]: its digest has 65 bytes"},
		{"a file of too many bytes", func(p *plan.Plan, _ *plan.Workload) { p.Files = []plan.File{{Bytes: 1<<20 + 1}} }, "files[0]: it.bytes is 1048577"},
		{"a schedule of too long a name", func(_ *plan.Plan, w *plan.Workload) {
			w.Load.Shape = &plan.Shape{File: strings.Repeat("a", 256), Segments: []plan.Segment{{From: 1, To: 1, Millis: 1}}}
		}, "load.shape: the name of its file has 256 bytes"},
		{"a trace", func(_ *plan.Plan, w *plan.Workload) { w.Load.Trace = &plan.Trace{File: "a", Rows: 9, Stretch: 0.5} }, ""},
		{"a trace of negative length", func(_ *plan.Plan, w *plan.Workload) { w.Load.Trace = &plan.Trace{Rows: -1, Stretch: 1} }, "load.trace: it.rows is -1"},
		{"a trace without time", func(_ *plan.Plan, w *plan.Workload) { w.Load.Trace = &plan.Trace{Rows: 9} }, "load.trace: it is stretched by 0"},
		{"a trace with a long name", func(_ *plan.Plan, w *plan.Workload) {
			w.Load.Trace = &plan.Trace{File: strings.Repeat("a", 256), Rows: 9, Stretch: 1}
		}, "its name has 256 bytes"},
		{"values", func(p *plan.Plan, _ *plan.Workload) {
			p.Store.EffectiveValues = bundletest.NestedValues(values.MaxDepth)
		}, ""},
		{"values that are too deep", func(p *plan.Plan, _ *plan.Workload) { p.Store.Values = bundletest.NestedValues(values.MaxDepth + 1) }, "store.values: nested 33 deep"},
		{"values that are too long", func(p *plan.Plan, _ *plan.Workload) {
			p.Store.EffectiveValues = json.RawMessage(`{"a":"` + strings.Repeat("a", values.MaxBytes) + `"}`)
		}, "store.effectiveValues: 524296 bytes"},
		{"values that are none", func(p *plan.Plan, _ *plan.Workload) { p.Store.EffectiveValues = json.RawMessage(`[1]`) }, "store.effectiveValues: no object"},
		{"many slots", func(_ *plan.Plan, w *plan.Workload) { w.Load.MaxInFlight = 1_000_001 }, "maxInFlight"},
		{"many records", func(_ *plan.Plan, w *plan.Workload) { w.Records = 1e15 + 1 }, "records"},
		{"many operations", func(_ *plan.Plan, w *plan.Workload) { w.Operations = 1e15 + 1 }, "operations"},
		{"many workloads", func(p *plan.Plan, w *plan.Workload) { p.Workloads = make([]plan.Workload, 65) }, "65 workloads"},
		{"many faults", func(p *plan.Plan, _ *plan.Workload) { p.Faults = make([]plan.Fault, 17) }, "17 faults"},
		{"many members", func(p *plan.Plan, _ *plan.Workload) { p.Store.Members = make([]plan.Member, 17) }, "17 members"},
		{"a fault that lasts for ever", func(p *plan.Plan, _ *plan.Workload) { p.Faults[0].DurationMillis = 1 << 62 }, "faults[0].durationMillis"},
		{"a fault at no time", func(p *plan.Plan, _ *plan.Workload) { p.Faults[0].AtMillis = 1 << 62 }, "faults[0].atMillis"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := reporttest.NewSituation().Plan
			c.change(&p, &p.Workloads[0])
			f := bundletest.Files{}
			for name, file := range built {
				f[name] = file
			}
			f.Put(bundle.PlanFile, bundletest.Line(p))
			_, err := compute.FromBundle(f.FS())
			if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("error is %v, want %q", err, c.says)
			}
		})
	}
}
