package report

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
)

const schemaFile = "../../docs/reference/report.schema.json"

func TestReportsFitTheirSchema(t *testing.T) {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		change func(*situation)
		files  func(files)
	}{
		{name: "a leader kill"},
		{name: "with errors", change: func(s *situation) {
			s.errors = []bundle.ErrorSeen{{Operation: "READ", Outcome: "failed", Code: "Unavailable", Count: 3}}
		}},
		{name: "a rate in steps", change: func(s *situation) {
			s.workload().Load.Shape = &plan.Shape{Segments: []plan.Segment{{From: 1000, To: 1000, Millis: 1000}}}
		}},
		{name: "a rate of a file", change: func(s *situation) {
			s.plan.Files = []plan.File{{Name: "rates_day.csv", ConfigMap: "rates", Key: "day.csv", SHA256: "5e", Bytes: 20}}
			s.workload().Load.Shape = &plan.Shape{File: "rates_day.csv", Segments: []plan.Segment{{From: 1000, To: 1000, Millis: 1000}}}
		}},
		{name: "a sine", change: func(s *situation) {
			s.workload().Load.Shape = &plan.Shape{Sine: &plan.Sine{Mean: 900, Amplitude: 100, PeriodMillis: 1000}}
		}},
		{name: "a trace", change: func(s *situation) {
			s.workload().Load.Arrivals, s.workload().Load.Trace = plan.ArrivalsTrace, &plan.Trace{File: "day.csv", Rows: 9, Stretch: 0.5}
		}},
		{name: "a store that ran before", change: func(s *situation) {
			s.plan.Store.Existing, s.plan.Store.Version, s.plan.Store.Chart = true, "", ""
			s.plan.Store.Values, s.plan.Store.EffectiveValues = nil, nil
		}},
		{name: "a plan of before the chart's values were in it", change: func(s *situation) { s.plan.Store.EffectiveValues = nil }},
		{name: "a store of a chart that the run brought", change: func(s *situation) {
			s.plan.Store.Version, s.plan.Store.Chart, s.plan.Store.EffectiveValues = "", "", nil
			s.plan.Store.OwnChart = &plan.OwnChart{Source: "ConfigMap theirs, theirs.tgz", Name: "theirs", Version: "1.2.3", SHA256: "5e", Bytes: 20}
		}},
		{name: "a closed loop", change: func(s *situation) { s.workload().Load.Rate = 0 }},
		{name: "the fault was not injected", change: func(s *situation) { s.fault = nil }},
		{name: "nothing was loaded", change: func(s *situation) { s.workload().LoadFirst = false }},
		{name: "a generator that lags", change: func(s *situation) {
			s.lags = func(int64) (int64, int64) { return 1, sec }
		}},
		{name: "a machine that doesn't tell", change: func(s *situation) {
			s.self = func(_ int64, self *bundle.SelfSecond) { self.ThrottledMicros, self.StoppedMicros = nil, nil }
		}},
		{name: "members and a kubelet that tell", change: func(s *situation) {
			at := s.nanos(3*sec) / second
			s.topology[6].Usage = []stores.Usage{uses("m-0", float64(at), 1e6, 5), uses("m-1", float64(at), 1e6, 5)}
			s.topology[30].Usage = []stores.Usage{uses("m-0", float64(at+12), 8e6, 5), uses("m-1", float64(at+12), 2e6, 5)}
		}, files: func(f files) {
			at := float64(1_800_000_000 + 5)
			f.put(bundle.Writer{Role: bundle.RoleKubelet, PodUID: podUID(950)}.File(bundle.Jsonl), slices.Concat(
				line(ofPod("m-0", "1", at, 5, 1<<20)), line(ofPod("m-1", "2", at, 5, 1<<20)), line(ofPod("m-2", "3", at, 5, 1<<20))))
		}},
		{name: "nothing but the plan", files: func(f files) {
			for name := range f {
				if name != bundle.PlanFile {
					delete(f, name)
				}
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSituation()
			if c.change != nil {
				c.change(s)
			}
			f := s.build(t)
			if c.files != nil {
				c.files(f)
			}
			data, err := reportOf(t, f).JSON()
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
	for _, place := range []string{`{"format":`, `{"boundMicros":`} {
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
