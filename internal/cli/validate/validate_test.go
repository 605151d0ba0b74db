package validate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/exit"
)

const (
	good    = "{store: {name: etcd, nodes: 3}, workloads: [{name: a, preset: A}]}"
	refused = "{store: {name: etcd, nodes: 3}, workloads: [{name: a, preset: G}]}"
)

const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"

// called does the verb.
func called(t *testing.T, in string, args ...string) (out, complaints string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := Command(&env.Env{In: strings.NewReader(in), Out: &stdout, Err: &stderr})
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(context.Background())
	return stdout.String(), stderr.String(), err
}

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// flow is an object on one line.
func flow(t *testing.T, text string) string {
	t.Helper()
	line, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

func TestTheExitCodeSaysWhetherAllIsWell(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.yaml")
	for name, given := range map[string]struct {
		args []string
		code int
		want string // in the error
	}{
		"a good file":                    {[]string{"-f", file(t, runOf(good))}, 0, ""},
		"two good files as a pattern":    {[]string{"-f", file(t, runOf(good)), file(t, runOf(good))}, 0, ""},
		"a refused one":                  {[]string{"-f", file(t, runOf(refused))}, exit.Failed, "refused: 1 of 1"},
		"a refused one beside":           {[]string{"-f", file(t, runOf(good)+"---\n"+runOf(refused))}, exit.Failed, "refused: 1 of 2"},
		"one that is missing":            {[]string{"-f", missing}, exit.Usage, "none.yaml"},
		"one that is missing and others": {[]string{"-f", missing, "-f", file(t, runOf(refused))}, exit.Usage, "none.yaml"},
		"a folder without files":         {[]string{"-f", t.TempDir()}, exit.Usage, "has no .yaml, .yml or .json"},
		"another kind":                   {[]string{"-f", file(t, pod)}, exit.Usage, "nothing was checked"},
		"another kind beside a good run": {[]string{"-f", file(t, pod+"---\n"+runOf(good))}, 0, ""},
		"a list, as kubectl prints it":   {[]string{"-f", file(t, "apiVersion: v1\nkind: List\nitems: ["+flow(t, runOf(good))+", "+flow(t, runOf(refused))+"]\n")}, exit.Failed, "refused: 1 of 2"},
		"a list of no objects":           {[]string{"-f", file(t, "apiVersion: v1\nkind: List\nitems: [1]\n")}, exit.Usage, "item 1 of the list is no object"},
		"a kind that is misspelt":        {[]string{"-f", file(t, strings.Replace(runOf(good), "BenchmarkRun", "BenchmarkRnu", 1))}, exit.Usage, "did you mean BenchmarkRun?"},
		"a kind that kvbench lacks":      {[]string{"-f", file(t, head+"Baseline\n")}, exit.Usage, `there is no kind "Baseline": write BenchmarkRun or BenchmarkSuite`},
		"no kind":                        {[]string{"-f", file(t, "spec: {}")}, exit.Usage, "it has no kind"},
		"another version":                {[]string{"-f", file(t, strings.Replace(runOf(good), "v1alpha1", "v1", 1))}, exit.Usage, "write kvbench.io/v1alpha1"},
		"an empty file":                  {[]string{"-f", file(t, "# nothing\n---\n\n")}, exit.Usage, "it is empty"},
		"no object":                      {[]string{"-f", file(t, "[1, 2]")}, exit.Usage, "it is no object"},
		"no YAML":                        {[]string{"-f", file(t, "a: [")}, exit.Usage, "it is no YAML"},
		"a key twice":                    {[]string{"-f", file(t, runOf("{store: {name: etcd, name: redis}}"))}, exit.Usage, "already set in map"},
		"ConfigMaps alone":               {[]string{"-f", file(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")}, exit.Usage, "nothing was checked"},
		"no file":                        {nil, exit.Usage, "name the files"},
	} {
		t.Run(name, func(t *testing.T) {
			out, _, err := called(t, "", given.args...)
			if exit.Code(err) != given.code || err != nil && !strings.Contains(err.Error(), given.want) {
				t.Errorf("code %d, %v\n%s", exit.Code(err), err, out)
			}
		})
	}
}

func TestWhatIsWrongWithAFileIsOneLine(t *testing.T) {
	_, _, err := called(t, "a: 1\na: 2\nb: 1\nb: 2\n", "-f", "-")
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), `key "b" already set`) {
		t.Errorf("got %v", err)
	}
}

func TestATableHasALineForEachFinding(t *testing.T) {
	path := file(t, runOf(good)+"---\n"+runOf("{store: {name: etcd, nodes: 10}, workloads: [{name: a, preset: G}]}"))
	out, _, _ := called(t, "", "-f", path)
	want := path + ": BenchmarkRun a: ok\n"
	if !strings.HasPrefix(out, want) {
		t.Errorf("got %s", out)
	}
	rows := strings.Split(strings.TrimSpace(strings.TrimPrefix(out, want)), "\n")
	if len(rows) != 3 || strings.Join(strings.Fields(rows[0]), " ") != "FILE DOCUMENT OBJECT FIELD MESSAGE" ||
		!strings.HasPrefix(strings.Join(strings.Fields(rows[1]), " "), path+" 2 BenchmarkRun a spec.store.nodes ") || !strings.Contains(rows[2], "spec.workloads[0].preset") {
		t.Errorf("got %s", out)
	}
}

func TestProgramsGetAllResults(t *testing.T) {
	out, _, _ := called(t, runOf(good)+"---\n"+runOf(refused)+"---\n{}\n", "-f", "-", "-o", "json")
	var results []Result
	if err := json.Unmarshal([]byte(out), &results); err != nil {
		t.Fatal(err)
	}
	if len(results) != 3 || !results[0].OK || results[1].OK || results[2].Error == "" || results[2].Document != 3 {
		t.Fatalf("got %s", out)
	}
	if r := results[1]; r.File != "standard input" || r.Name != "a" || r.Findings[0].Field != "spec.workloads[0].preset" {
		t.Errorf("got %+v", r)
	}
	if asYAML, _, _ := called(t, runOf(good), "-f", "-", "-o", "yaml"); !strings.Contains(asYAML, "findings: []\n") || !strings.Contains(asYAML, "ok: true\n") {
		t.Errorf("got %s", asYAML)
	}
}

func TestWhatWasNotCheckedIsANoteBesideTheResult(t *testing.T) {
	out, complaints, err := called(t, runOf("{store: {name: etcd, nodes: 3, storage: {className: fast}}, workloads: [{name: a, preset: A}]}"), "-f", "-")
	if err != nil || out != "standard input: BenchmarkRun a: ok\n" || !strings.Contains(complaints, "the storage class fast") {
		t.Errorf("%q, %q, %v", out, complaints, err)
	}
}

func TestWhatSeveralObjectsWantIsNotedOnce(t *testing.T) {
	text := runOf(good) + "---\n" + runOf("{store: {name: etcd, nodes: 3}, serviceAccountName: bench, workloads: [{name: a, preset: A}]}")
	_, complaints, err := called(t, text, "-f", "-")
	want := "Note: not checked, since only a cluster has it: the namespace default (metadata.namespace), in 2 objects\n" +
		"Note: not checked, since only a cluster has it: the service account bench (spec.serviceAccountName), in standard input, document 2\n"
	if err != nil || complaints != want {
		t.Errorf("%v\n%s", err, complaints)
	}
}

func TestWhatIsSkippedIsANote(t *testing.T) {
	out, complaints, err := called(t, runOf(good)+"---\n"+pod, "-f", "-")
	if err != nil || out != "standard input: BenchmarkRun a: ok\n" || !strings.Contains(complaints, "standard input, document 2: Pod p: skipped: objects of the kind Pod") {
		t.Errorf("%q, %q, %v", out, complaints, err)
	}
	out, _, _ = called(t, pod, "-f", "-", "-o", "json")
	var results []Result
	if err := json.Unmarshal([]byte(out), &results); err != nil || len(results) != 1 || results[0].OK || results[0].Skipped == "" {
		t.Errorf("%v: %s", err, out)
	}
}

func TestConfigMapsAloneAreAnEmptyListForPrograms(t *testing.T) {
	if out, _, _ := called(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", "-f", "-", "-o", "json"); out != "[]\n" {
		t.Errorf("got %q", out)
	}
}

func TestATerminalIsNotObeyedToWhatAFileSays(t *testing.T) {
	hostile := `"\e[2J\u202e\n"`
	text := head + "BenchmarkRun\nmetadata: {name: " + hostile + "}\nspec: {store: {name: " + hostile + ", nodes: 3}, " + hostile + ": 1, workloads: [{name: a, preset: A}]}\n" +
		"---\n" + runOf("{store: {name: "+hostile+", nodes: 3}, workloads: [{name: a, preset: A}]}") +
		"---\n" + head + hostile + "\n"
	out, complaints, err := called(t, text, "-f", "-")
	if !strings.Contains(out, "metadata.name") || !strings.Contains(err.Error(), "there is no kind") {
		t.Fatalf("%q, %v", out, err)
	}
	for _, c := range out + complaints + err.Error() {
		if c == '\x1b' || c == '\u202e' {
			t.Errorf("%q is in %q", c, out+complaints+err.Error())
		}
	}
}

func TestWhatIsReadIsBounded(t *testing.T) {
	for name, given := range map[string]struct{ text, want string }{
		"a large file":   {strings.Repeat("#", maxFileBytes+1), "has more than 16 MiB"},
		"a large object": {"a: " + strings.Repeat("b", maxDocumentBytes), "and the API server takes"},
		"many documents": {strings.Repeat("a: b\n---\n", maxDocuments+1), "more than 1000 documents"},
		"a YAML bomb":    {laughs(), "excessive aliasing"},
		"a deep object":  {strings.Repeat("[", 100_000), "it is no YAML"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := called(t, given.text, "-f", "-")
			if exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), given.want) {
				t.Errorf("got %.300v", err)
			}
		})
	}
}

// laughs is a document of 10^9 strings, by names of lists of names.
func laughs() string {
	text := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 9; i++ {
		text += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	return text
}
