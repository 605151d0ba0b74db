package results

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
)

func TestAPlanThatTheServerCannotRelyOnIsRefused(t *testing.T) {
	if _, err := readFacts(runUID, planOf(runUID)); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string][2]string{
		"another format":          {`"format":1`, `"format":2`},
		"another run":             {runUID, otherUID},
		"a namespace with a path": {`"namespace":"team"`, `"namespace":"../team"`},
		"no id":                   {`"id":"demo-1a2b"`, `"id":""`},
		"a workload with a path":  {`"name":"a"`, `"name":"../a"`},
		"two of one name":         {`"name":"b"`, `"name":"a"`},
		"no workers":              {`"workers":2`, `"workers":0`},
		"a million workers":       {`"workers":2`, `"workers":1000000`},
		"no workload":             {`"workloads":[`, `"others":[`},
	} {
		document := strings.Replace(string(planOf(runUID)), change[0], change[1], 1)
		if document == string(planOf(runUID)) {
			t.Fatalf("%s: the plan was not changed", what)
		}
		if _, err := readFacts(runUID, []byte(document)); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}

// What is accepted can be used as part of a file's name.
func FuzzReadFacts(f *testing.F) {
	f.Add(planOf(runUID))
	f.Add([]byte(`{"format":1,"run":{"uid":"` + runUID + `"},"workloads":[{"name":"/"}]}`))
	f.Fuzz(func(t *testing.T, document []byte) {
		facts, err := readFacts(runUID, document)
		if err != nil {
			return
		}
		for workload := range facts.workloads {
			name := bundle.Writer{Role: bundle.RoleWorker, Workload: workload, PodUID: podUID}.File(bundle.Hlog)
			if _, _, ok := bundle.ParseFile(name); !ok || strings.ContainsAny(bundle.StartFile(workload), "/\x00") {
				t.Errorf("the workload %q was accepted", workload)
			}
		}
	})
}
