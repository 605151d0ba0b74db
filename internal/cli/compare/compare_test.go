package compare

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/cli/compare/comparetest"
	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/exit"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/imported"
	"github.com/kvbench/kvbench/internal/report"
)

// compared is what the command prints, and its exit code.
func compared(t *testing.T, in string, args ...string) (out string, code int, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := Command(&env.Env{Flags: kube.NewFlags(), In: strings.NewReader(in), Out: &stdout, Err: &stderr})
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(context.Background())
	return stdout.String(), exit.Code(err), err
}

// folder has documents under their names.
func folder(t *testing.T, documents map[string][]byte) func(string) string {
	t.Helper()
	dir := t.TempDir()
	for name, document := range documents {
		if err := os.WriteFile(filepath.Join(dir, name), document, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func(name string) string { return filepath.Join(dir, name) }
}

func examples(t *testing.T) map[string][]byte {
	old := func(r *report.Report) { r.Store.Version = "3.5" }
	all := map[string][]byte{
		"one.json": comparetest.Run(t, "one", 1), "other.json": comparetest.Run(t, "other", 1.1), "older.json": comparetest.Run(t, "older", 1, old),
		"invalid.json": comparetest.JSON(t, comparetest.Golden(t, "closed-loop")), "text.json": []byte("no JSON"), "else.json": []byte(`{"format": 1}`),
	}
	all["imported.json"], all["half.json"] = comparetest.Imported(t, imported.Response, 1), comparetest.Imported(t, imported.Response, 0.5)
	all["imported-invalid.json"] = bytes.Replace(all["half.json"], []byte(`"valid": null`), []byte(`"valid": false`), 1)
	all["under-way.json"], _ = comparetest.Suite{Name: "under-way", Blocks: 8, UnderWay: true}.Documents(t)
	all["main.suite.json"], all["main.json"] = comparetest.Suite{Name: "main", Blocks: 8}.Documents(t)
	slower := func(string, int) float64 { return 0.8 }
	_, all["slower.json"] = comparetest.Suite{Name: "slower", Blocks: 8, Factor: slower}.Documents(t)
	_, all["same.json"] = comparetest.Suite{Name: "same", Blocks: 8}.Documents(t)
	return all
}

func TestTheExitCodeIsThatOfTheGate(t *testing.T) {
	path := folder(t, examples(t))
	for _, c := range []struct {
		what string
		args []string
		code int
		says string
	}{
		{"two runs", []string{path("one.json"), path("other.json")}, 0, "One trial each: no interval, so a difference may be the machine's."},
		{"a gate of two runs", []string{path("one.json"), path("other.json"), "--fail-if-worse", "5%"}, exit.Unknown, "Unknown: no figure may be worse by more than 5 %."},
		{"runs that differ", []string{path("older.json"), path("one.json")}, exit.Unknown, "NotComparable"},
		{"a difference that is accepted", []string{path("older.json"), path("one.json"), "--despite", "/store/version"}, 0, "accepted: /store/version is"},
		{"suites that are alike", []string{path("main.json"), path("same.json"), "--fail-if-worse", "5%"}, 0, "Passed: no figure may be worse by more than 5 %."},
		{"a slower one", []string{path("main.json"), path("slower.json"), "--fail-if-worse", "5%"}, exit.Failed, "↓ 20.0 % worse"},
		{"a slower one, without a gate", []string{path("main.json"), path("slower.json")}, 0, "↓ 20.0 % worse"},
		{"one of several is slower", []string{path("main.json"), path("same.json"), path("slower.json"), "--fail-if-worse", "5%"}, exit.Failed, "Failed: no figure"},
		{"a report of a suite", []string{path("main.suite.json"), path("same.json")}, exit.Unknown, "take baseline.json of that suite"},
		{"a report of a suite that is accepted", []string{path("main.suite.json"), path("same.json"), "--despite", "/"}, 0, "nobody knows whether its runs are like the others'"},
		{"another tool's figures", []string{path("imported.json"), path("half.json")}, 0, "Imported: the validity of 1 of 1 pair is not known"},
		{"a gate of another tool's figures", []string{path("one.json"), path("half.json"), "--fail-if-worse", "5%"}, exit.Unknown, "imported: validity not known"},
		{"a gate that fails beside another tool's figures", []string{path("main.json"), path("slower.json"), path("half.json"), "--fail-if-worse", "5%"}, exit.Failed, "Failed: no figure"},
		{"a gate that passes beside another tool's figures", []string{path("main.json"), path("same.json"), path("half.json"), "--fail-if-worse", "5%"}, exit.Unknown, "Unknown: no figure"},
	} {
		t.Run(c.what, func(t *testing.T) {
			out, code, err := compared(t, "", c.args...)
			if code != c.code || !strings.Contains(out, c.says) {
				t.Errorf("exit code %d, want %d, and %q: %v\n%s", code, c.code, c.says, err, out)
			}
		})
	}
}

func TestBadInputGetsASentence(t *testing.T) {
	path := folder(t, examples(t))
	for _, c := range []struct {
		what string
		args []string
		code int
		says string
	}{
		{"one argument", []string{path("one.json")}, exit.Usage, "requires at least 2 arg"},
		{"a file that isn't there", []string{path("one.json"), path("none.json")}, exit.Usage, "no such file"},
		{"a folder", []string{path("one.json"), path(".")}, exit.Usage, "is a directory"},
		{"text", []string{path("one.json"), path("text.json")}, exit.Usage, "text.json can't be compared: it is no report.json of a run, and no suite.json or baseline.json"},
		{"another JSON", []string{path("one.json"), path("else.json")}, exit.Usage, "it is no report.json of a run"},
		{"numbers that are not valid", []string{path("one.json"), path("invalid.json")}, exit.Unknown, "the numbers of the run bench/leader-kill are not valid ("},
		{"imported numbers that are not valid", []string{path("one.json"), path("imported-invalid.json")}, exit.Unknown, "imported from old.txt are not valid"},
		{"a suite that is under way", []string{path("under-way.json"), path("one.json")}, exit.Unknown, "the suite is under way"},
		{"no name", []string{"a/b", path("one.json")}, exit.Usage, `"a/b" is not a name: write NAME, run/NAME, suite/NAME or baseline/NAME, or ./a/b for a file`},
		{"another metric", []string{path("one.json"), path("other.json"), "--metric", "throughputs"}, exit.Usage, "did you mean throughput?"},
		{"an operation that nobody did", []string{path("one.json"), path("other.json"), "--operation", "SCAN"}, exit.Usage, "there are READ, UPDATE"},
		{"a gate of what has no ratio", []string{path("one.json"), path("other.json"), "--metric", "errors", "--fail-if-worse", "5%"}, exit.Usage, "can't judge errors"},
		{"a margin without percent", []string{path("one.json"), path("other.json"), "--fail-if-worse", "0.05"}, exit.Usage, "such as 5%"},
		{"all of it as a margin", []string{path("one.json"), path("other.json"), "--fail-if-worse", "100%"}, exit.Usage, "between 0 and 100 percent"},
		{"a field without a slash", []string{path("one.json"), path("other.json"), "--despite", "store"}, exit.Usage, "such as /store/version"},
		{"an axis that isn't there", []string{path("one.json"), path("other.json"), "--where", "store=etcd"}, exit.Usage, "runs have no axes"},
		{"standard input twice", []string{"-", "-"}, exit.Usage, "can be compared once alone"},
	} {
		t.Run(c.what, func(t *testing.T) {
			out, code, err := compared(t, string(comparetest.Run(t, "in", 1)), c.args...)
			if err == nil || code != c.code || !strings.Contains(err.Error(), c.says) || out != "" {
				t.Errorf("exit code %d, want %d, and %q: %v\n%s", code, c.code, c.says, err, out)
			}
		})
	}
}

func TestAPageHasTheReportsAndTheChartsBesideThem(t *testing.T) {
	path := folder(t, map[string][]byte{"report.json": comparetest.Run(t, "one", 1), "charts.json": []byte(`{"format": 1, "workloads": []}`), "other.json": comparetest.Run(t, "other", 1.1)})
	written := path("compare.html")
	out, code, err := compared(t, "", path("report.json"), path("other.json"), "-o", "html", "--file", written)
	if err != nil || code != 0 || out != "" {
		t.Fatalf("exit code %d, %v, and on standard output %q", code, err, out)
	}
	content, err := os.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	// The charts are those of report.json. Whose they are beside other.json, nobody knows.
	for _, want := range []string{`"kind":"comparison"`, `"uid-of-one"`, `"uid-of-other"`, `"charts":{"format":1,"workloads":[]}},{"report":`, `"charts":null}]}`, "One trial each"} {
		if !strings.Contains(string(content), want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if out, _, err = compared(t, "", path("report.json"), path("other.json"), "-o", "html"); err != nil || out != string(content) {
		t.Errorf("%v, and standard output has %d bytes while the file has %d", err, len(out), len(content))
	}
	if err := os.WriteFile(path("charts.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err = compared(t, "", path("report.json"), path("other.json"), "-o", "html"); err == nil || !strings.Contains(err.Error(), "charts.json are no JSON: remove the file") {
		t.Error(err)
	}
}

func TestStandardInputIsAFile(t *testing.T) {
	path := folder(t, examples(t))
	out, code, err := compared(t, string(comparetest.Run(t, "in", 1)), path("one.json"), "-", "--metric", "throughput")
	if code != 0 || !strings.Contains(out, "- against ") {
		t.Errorf("exit code %d, %v\n%s", code, err, out)
	}
}
