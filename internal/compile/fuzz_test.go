package compile

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
)

// Any spec gives a plan that comes back from its JSON as it was, or a refusal of one line.
// The API server has refused most of these before; the controller must not rely on it.
func FuzzSpec(f *testing.F) {
	for _, spec := range []string{
		`{"store":{"name":"raft","nodes":3},"workloads":[{"name":"a","preset":"A"}]}`,
		`{"store":{"name":"cache","nodes":9,"mode":"plain","version":"1","storage":{"ephemeral":true},"resources":{"limits":{"cpu":"1"}},
		  "values":{"image":{"repository":"x"},"a":[{"b":null}]}},
		  "workloads":[{"name":"a","properties":{"readproportion":"1","insertorder":"{{ .x }}\n"},"records":5,"duration":"2s"},{"name":"b","preset":"B","reset":false,"operations":7}],
		  "load":{"workers":3,"threads":4,"rate":100,"arrivals":"Constant","warmup":"1s","cooldown":"0s","operationTimeout":"500ms"},
		  "faults":[{"name":"f","action":"PodKill","at":"1s","workload":"b","target":{"member":8}}],"seed":7}`,
		`{"store":{"name":"raft","nodes":3},"workloads":[{"name":"a","preset":"A"}],"load":{"rateShape":{"steps":[{"rate":5,"for":"1s"}],"sine":{"mean":-1}}}}`,
		`{"store":{"name":"raft","nodes":-1,"storage":{"size":"1e9Gi"}},"workloads":[]}`,
		`{"store":{"name":"raft","nodes":3,"values":{"image":{"tag":"x"}}},"workloads":[{"name":"../..","properties":{"exportfile":"/etc/passwd"}}]}`,
		`{"store":{"name":"raft","nodes":3},"workloads":[{"name":"a","preset":"A","duration":"1h1ms"}],"load":{"workers":-5,"rate":-1,"maxInFlight":-3}}`,
		`{"store":{"name":"raft","nodes":3},"workloads":[{"name":"a","trace":{"configMapKeyRef":{"name":"m","key":"k"},"stretch":"0.5"},
		  "fieldLengthHistogram":{"configMapKeyRef":{"name":"m","key":"h"}}}],"load":{"workers":2,"maxInFlight":9}}`,
		`{"store":{"name":"raft","nodes":3},"workloads":[{"name":"a","preset":"A"}],"load":{"rateShape":{"schedule":{"configMapKeyRef":{"name":"m","key":"s"}}}}}`,
		`{"store":{"name":"raft","nodes":3},"workloads":[{"name":"a","trace":{"configMapKeyRef":{"name":"m\n","key":"k"},"stretch":"NaN"}}]}`,
	} {
		f.Add([]byte(spec))
	}
	f.Fuzz(func(t *testing.T, spec []byte) {
		run := shortForm()
		run.Spec = v1alpha1.BenchmarkRunSpec{}
		if json.Unmarshal(spec, &run.Spec) != nil {
			return
		}
		files := Files{"m_k": []byte("0,READ,a,\n90,UPDATE,b,7\n"), "m_s": []byte("0,5\n9,0\n"), "m_h": []byte("BlockSize\t10\n0\t5\n")}
		compiled, err := With(run, files, testCatalog())
		if err != nil {
			var refused *Refusal
			if !errors.As(err, &refused) || refused.Reason == "" || strings.ContainsAny(refused.Message, "\n\r\x1b\x00") || !utf8.ValidString(refused.Message) {
				t.Errorf("refused with %q", err)
			}
			return
		}
		text, err := json.Marshal(compiled)
		if err != nil {
			t.Fatal(err)
		}
		again := &plan.Plan{}
		if err := json.Unmarshal(text, again); err != nil {
			t.Fatal(err)
		}
		if second, err := json.Marshal(again); err != nil || string(second) != string(text) {
			t.Errorf("%s\ncame back as\n%s (%v)", text, second, err)
		}
		if same, err := With(run, files, testCatalog()); err != nil || !reflect.DeepEqual(same, compiled) {
			t.Errorf("compiled again it is %+v (%v)", same, err)
		}
	})
}
