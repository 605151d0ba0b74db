package run

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/cli/exit"
)

func TestOneObjectIsRead(t *testing.T) {
	const head = "apiVersion: kvbench.io/v1alpha1\nkind: BenchmarkRun\nmetadata: {name: a}\n"
	for what, c := range map[string]struct{ content, complaint string }{
		"a run":                       {head + "spec: {store: {name: etcd, nodes: 1}}", ""},
		"a suite":                     {strings.Replace(head, "BenchmarkRun", "BenchmarkSuite", 1) + "spec: {template: {spec: {store: {name: etcd}}}}", ""},
		"comments around it":          {"# a comment\n---\n" + head + "---\n# the end\n", ""},
		"nothing":                     {"", "is empty"},
		"comments alone":              {"# a\n---\n# b\n", "is empty"},
		"two objects":                 {head + "---\n" + head, "several objects"},
		"no YAML":                     {"a: b: c", "is not YAML"},
		"a list":                      {"- a", "is not YAML"},
		"another kind":                {"apiVersion: v1\nkind: Pod\n", `kind "Pod"`},
		"another version":             {strings.Replace(head, "v1alpha1", "v9", 1), `apiVersion "kvbench.io/v9"`},
		"no name":                     {strings.Replace(head, "{name: a}", "{}", 1), "neither metadata.name nor"},
		"a field that there isn't":    {head + "spec: {stoer: {}}", "spec.stoer: there is no such field: did you mean store?"},
		"a field that is there twice": {head + "spec: {store: {name: a, name: b}}", "name"},
		"a field of another type":     {head + "spec: {store: {nodes: three}}", "nodes"},
	} {
		object, err := Parse(t.Context(), "f.yaml", []byte(c.content))
		switch {
		case c.complaint == "" && (err != nil || object.GetName() != "a"):
			t.Errorf("%s: %v", what, err)
		case c.complaint != "" && (err == nil || !strings.Contains(err.Error(), c.complaint) || !strings.HasPrefix(err.Error(), "f.yaml")):
			t.Errorf("%s: %v, want %q", what, err, c.complaint)
		}
	}
}

func TestARefusedFileHasTheExitCodeOfValidate(t *testing.T) {
	const head = "apiVersion: kvbench.io/v1alpha1\nkind: BenchmarkRun\nmetadata: {name: a}\n"
	for what, c := range map[string]struct {
		content string
		code    int
	}{
		"a field that there isn't":    {head + "spec: {store: {name: etcd, nodez: 3}}", exit.Failed},
		"a field of another type":     {head + "spec: {store: {nodes: three}}", exit.Failed},
		"a field that is there twice": {head + "spec: {store: {name: a, name: b}}", exit.Usage},
		"no run":                      {"apiVersion: v1\nkind: Pod\n", exit.Usage},
	} {
		_, err := Parse(t.Context(), "f.yaml", []byte(c.content))
		if exit.Code(err) != c.code || strings.Contains(err.Error(), "json") {
			t.Errorf("%s: %d, want %d: %v", what, exit.Code(err), c.code, err)
		}
	}
}

func TestTheServerMayGiveTheName(t *testing.T) {
	object, err := Parse(t.Context(), "f.yaml", []byte("apiVersion: kvbench.io/v1alpha1\nkind: BenchmarkRun\nmetadata: {generateName: gate-}\n"))
	if err != nil || object.GetName() != "" || object.GetGenerateName() != "gate-" {
		t.Error(object, err)
	}
}
