package report

import (
	"encoding/json"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
)

// FuzzBundle puts anything in the place of one file: there must be a report that fits its
// bytes, or an error, and never a panic.
func FuzzBundle(f *testing.F) {
	names := []string{
		workerOf(0).File(bundle.Bins),
		workerOf(0).File(bundle.Jsonl),
		loaderOf(0, 0).File(bundle.Jsonl),
		bundle.Writer{Role: bundle.RoleObserver, PodUID: podUID(900)}.File(bundle.Jsonl),
		bundle.FaultsFile, bundle.ClaimsFile, bundle.StartFile("a"),
		bundle.EndFile(workerOf(1).File(bundle.Hlog)),
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
		p := newSituation().plan
		change(&p)
		f.Add(8, line(p))
	}
	f.Fuzz(func(t *testing.T, which int, data []byte) {
		for _, byOperations := range []bool{false, true} {
			s := newSituation()
			s.scene.rate, s.workload().Load.Rate = 20, 20
			if byOperations {
				s.workload().DurationMillis, s.workload().Operations = 0, 500
			}
			b := s.build(t)
			name := names[uint(which)%uint(len(names))]
			b.put(name, data)
			if _, _, ok := bundle.ParseFile(name); ok {
				b.end(name)
			}
			r, err := FromBundle(b.fs())
			if err != nil {
				continue
			}
			if _, err := r.JSON(); err != nil {
				t.Error(err)
			}
			r.Markdown()
			r.Table()
		}
	})
}
