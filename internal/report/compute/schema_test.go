package compute_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"k8s.io/utils/ptr"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/instant"
	"github.com/kvbench/kvbench/internal/report/reporttest"
	"github.com/kvbench/kvbench/internal/stores"
)

const schemaFile = "../../../docs/reference/report.schema.json"

func TestReportsFitTheirSchema(t *testing.T) {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		change func(*reporttest.Situation)
		files  func(bundletest.Files)
		made   func(*report.Report)
	}{
		{name: "a leader kill"},
		{name: "with errors", change: func(s *reporttest.Situation) {
			s.Errors = []bundle.ErrorSeen{{Operation: "READ", Outcome: "failed", Code: "Unavailable", Count: 3}}
		}},
		{name: "a rate in steps", change: func(s *reporttest.Situation) {
			s.Workload().Load.Shape = &plan.Shape{Segments: []plan.Segment{{From: 1000, To: 1000, Millis: 1000}}}
		}},
		{name: "a rate of a file", change: func(s *reporttest.Situation) {
			s.Plan.Files = []plan.File{{Name: "rates_day.csv", ConfigMap: "rates", Key: "day.csv", SHA256: "5e", Bytes: 20}}
			s.Workload().Load.Shape = &plan.Shape{File: "rates_day.csv", Segments: []plan.Segment{{From: 1000, To: 1000, Millis: 1000}}}
		}},
		{name: "an environment", files: func(f bundletest.Files) {
			f.Put(bundle.EnvironmentFile, []byte(`{"nodes":[{"name":"node1","kind":"m6i.large","zone":"a","architecture":"amd64","os":"Debian","kernel":"6.1","containerRuntime":"containerd://2","kubelet":"v1.37.1","cpus":2,"memoryBytes":8589934592}],
				"pods":[{"name":"m-0","role":"member","node":"node1","image":"etcd:1","digest":"sha256:5e","storageClass":"fast"},{"name":"w","role":"worker"}]}`))
		}},
		{name: "a placement", change: func(s *reporttest.Situation) {
			s.Plan.Placement = &plan.Placement{
				Members: plan.PodPlacement{NodeSelector: map[string]string{"pool": "stores"}, Tolerations: []plan.Toleration{{Key: "k", Operator: "Equal", Value: "v", Effect: "NoSchedule"}}, Spread: plan.SpreadZone},
				Workers: plan.PodPlacement{Spread: plan.SpreadOneNode}, ToMembers: plan.ToMembersApart,
			}
		}},
		{name: "a sine", change: func(s *reporttest.Situation) {
			s.Workload().Load.Shape = &plan.Shape{Sine: &plan.Sine{Mean: 900, Amplitude: 100, PeriodMillis: 1000}}
		}},
		{name: "a trace", change: func(s *reporttest.Situation) {
			s.Workload().Load.Arrivals, s.Workload().Load.Trace = plan.ArrivalsTrace, &plan.Trace{File: "day.csv", Rows: 9, Stretch: 0.5, LastMillis: 8000}
		}},
		{name: "a store that ran before", change: func(s *reporttest.Situation) {
			s.Plan.Store.Existing, s.Plan.Store.Version, s.Plan.Store.Chart = true, "", ""
			s.Plan.Store.Values, s.Plan.Store.EffectiveValues = nil, nil
		}},
		{name: "a plan of before the chart's values were in it", change: func(s *reporttest.Situation) { s.Plan.Store.EffectiveValues = nil }},
		{name: "a store of a chart that the run brought", change: func(s *reporttest.Situation) {
			s.Plan.Store.Version, s.Plan.Store.Chart, s.Plan.Store.EffectiveValues = "", "", nil
			s.Plan.Store.OwnChart = &plan.OwnChart{Source: "ConfigMap theirs, theirs.tgz", Name: "theirs", Version: "1.2.3", SHA256: "5e", Bytes: 20}
		}},
		{name: "a closed loop", change: func(s *reporttest.Situation) { s.Workload().Load.Rate = 0 }},
		{name: "the fault was not injected", change: func(s *reporttest.Situation) { s.Fault = nil }},
		{name: "nothing was loaded", change: func(s *reporttest.Situation) { s.Workload().LoadFirst = false }},
		{name: "a generator that lags", change: func(s *reporttest.Situation) {
			s.Lags = func(int64) (int64, int64) { return 1, bundletest.Second }
		}},
		{name: "a machine that doesn't tell", change: func(s *reporttest.Situation) {
			s.Self = func(_ int64, self *bundle.SelfSecond) { self.ThrottledMicros, self.StoppedMicros = nil, nil }
		}},
		{name: "members and a kubelet that tell", change: func(s *reporttest.Situation) {
			at := s.Nanos(3*bundletest.Second) / instant.NanosPerSecond
			s.Topology[6].Usage = []stores.Usage{bundletest.Uses("m-0", float64(at), 1e6, 5), bundletest.Uses("m-1", float64(at), 1e6, 5)}
			s.Topology[30].Usage = []stores.Usage{bundletest.Uses("m-0", float64(at+12), 8e6, 5), bundletest.Uses("m-1", float64(at+12), 2e6, 5)}
		}, files: func(f bundletest.Files) {
			at := float64(1_800_000_000 + 5)
			f.Put(bundle.Writer{Role: bundle.RoleKubelet, PodUID: bundletest.PodUID(950)}.File(bundle.Jsonl), slices.Concat(
				bundletest.Line(bundletest.OfPod("m-0", "1", at, 5, 1<<20)), bundletest.Line(bundletest.OfPod("m-1", "2", at, 5, 1<<20)), bundletest.Line(bundletest.OfPod("m-2", "3", at, 5, 1<<20))))
		}},
		{name: "faults that last and overlap", made: func(r *report.Report) {
			first, micros := &r.Faults[0], int64(5_000_000)
			first.Targets, first.Peers, first.DurationMicros = []string{"m-1"}, []string{"m-0", "m-2"}, &micros
			first.EndedAt, first.RecoveryMicros = first.InjectedAt, &micros
			r.Faults = append(r.Faults, report.Fault{
				Name: "second", Workload: "a", PartOf: first.Name, Series: []report.FaultSeries{}, NotResolved: []report.SeriesName{},
			})
		}},
		{name: "objectives that are kept, missed and unknown", change: func(s *reporttest.Situation) {
			s.Plan.Objectives = []plan.Objective{
				{Metric: "errors", AtMost: ptr.To(1.0)}, {Metric: "throughput", AtLeast: ptr.To(1e9), Workload: s.Workload().Name},
				{Metric: "p99", Operation: "SCAN", AtMost: ptr.To(1.0)}, {Metric: "outage", Statistic: plan.StatisticMax, AtMost: ptr.To(0.001)},
			}
		}},
		{name: "nothing but the plan", files: func(f bundletest.Files) {
			for name := range f {
				if name != bundle.PlanFile {
					delete(f, name)
				}
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := reporttest.NewSituation()
			if c.change != nil {
				c.change(s)
			}
			f := s.Build(t)
			if c.files != nil {
				c.files(f)
			}
			r := reporttest.Report(t, f)
			if c.made != nil {
				c.made(r)
			}
			data, err := r.JSON()
			if err != nil {
				t.Fatal(err)
			}
			document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(document); err != nil {
				t.Errorf("%v", err)
			}
			closed(t, schema, document)
		})
	}
}

// closed sees that the schema takes no key that it doesn't know.
func closed(t *testing.T, schema *jsonschema.Schema, document any) {
	t.Helper()
	data, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{`{"fingerprint":`, `{"boundMicros":`} {
		more := bytes.Replace(data, []byte(place), []byte(`{"more":1,`+place[1:]), 1)
		changed, err := jsonschema.UnmarshalJSON(bytes.NewReader(more))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(more, data) || schema.Validate(changed) == nil {
			t.Errorf("a further key after %s is taken", place)
		}
	}
}
