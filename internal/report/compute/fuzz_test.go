package compute_test

import (
	"encoding/json"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/compute"
	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

// FuzzBundle puts anything in the place of one file: there must be a report that fits its
// bytes, or an error, and never a panic.
func FuzzBundle(f *testing.F) {
	names := []string{
		bundletest.WorkerOf(0).File(bundle.Bins),
		bundletest.WorkerOf(0).File(bundle.Jsonl),
		bundletest.LoaderOf(0, 0).File(bundle.Jsonl),
		bundle.Writer{Role: bundle.RoleObserver, PodUID: bundletest.PodUID(900)}.File(bundle.Jsonl),
		bundle.FaultsFile, bundle.ClaimsFile, bundle.StartFile("a"),
		bundle.EndFile(bundletest.WorkerOf(1).File(bundle.Hlog)),
		bundle.PlanFile,
	}
	f.Add(0, []byte("#kvbench-bins 2 start=1800000000000000000\n5,1,0,0,0,0,0,-1,0,-1,-1,\n1000,1,0,0,0,0,0,1099511627776,1,0,9999,71:1\n"))
	f.Add(1, []byte(`{"clock":{"offsetNanos":-9223372036854775808}}`+"\n"+`{"finish":{"endedUnixNanos":9223372036854775807}}`+"\n"))
	f.Add(2, []byte(`{"finish":{"startedUnixNanos":-9223372036854775808,"endedUnixNanos":9223372036854775807}}`+"\n"))
	f.Add(3, []byte(`{"atUnixNanos":9223372036854775807,"steady":true}`+"\n"+`{"members":[{}]}`+"\n"))
	f.Add(3, []byte(`{"atUnixNanos":1800000000000000000,"members":[{"name":"m-1","records":9,"process":18446744073709551615}],`+
		`"usage":[{"member":"m-1","cpuMicros":5,"process":1}]}`+"\n"+`{"members":[{"process":-1}]}`+"\n"))
	f.Add(4, []byte(`{"name":"kill","workload":"a","injectedAfterUnixNanos":1,"injectedBeforeUnixNanos":9223372036854775807}`+"\n"))
	f.Add(4, []byte(`{"name":"kill","workload":"a","injectedAfterUnixNanos":9223372036854775807,"injectedBeforeUnixNanos":9223372036854775807}`+"\n"))
	f.Add(4, []byte(`{"name":"kill","workload":"a","targets":["m-1","m-2"],"peers":[""],"durationMillis":1,"injectedAfterUnixNanos":1800000010000000000,`+
		`"injectedBeforeUnixNanos":1800000010000000000,"endedAfterUnixNanos":1800000010000000000,"endedBeforeUnixNanos":4611686018427387904}`+"\n"))
	f.Add(5, []byte(`{"role":"worker","workload":"a","podUID":"../../etc/passwd"}`+"\n"))
	f.Add(6, []byte(`{"startUnixNanos":-9223372036854775808}`))
	f.Add(7, []byte(`{"length":-1}`))
	for _, change := range []func(*plan.Plan){
		func(*plan.Plan) {},
		func(p *plan.Plan) { p.Workloads[0].DurationMillis = 9e15 },
		func(p *plan.Plan) { p.Workloads[0].Load.Workers = 2e9 },
		func(p *plan.Plan) { p.Workloads[0].DurationMillis, p.Faults[0].AtMillis = 86_400_000, 0 },
		func(p *plan.Plan) {
			p.Store.EffectiveValues = json.RawMessage(`{"image":{"repository":1},"settings":{"a":[[{}]],"b":null}}`)
		},
		func(p *plan.Plan) { p.Store.EffectiveValues = json.RawMessage(`[{}]`) },
		func(p *plan.Plan) { p.Workloads = append(p.Workloads, p.Workloads[0]) },
	} {
		p := reporttest.NewSituation().Plan
		change(&p)
		f.Add(8, bundletest.Line(p))
	}
	f.Fuzz(func(t *testing.T, which int, data []byte) {
		for _, byOperations := range []bool{false, true} {
			s := reporttest.NewSituation()
			s.Scene.Rate, s.Workload().Load.Rate = 20, 20
			if byOperations {
				s.Workload().DurationMillis, s.Workload().Operations = 0, 500
			}
			b := s.Build(t)
			name := names[uint(which)%uint(len(names))]
			b.Put(name, data)
			if _, _, ok := bundle.ParseFile(name); ok {
				b.End(name)
			}
			r, err := compute.FromBundle(b.FS())
			if err != nil {
				continue
			}
			if _, err := r.JSON(); err != nil {
				t.Error(err)
			}
			render.Markdown(r)
			render.Table(r)
		}
	})
}
