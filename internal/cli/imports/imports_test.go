package imports

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/exit"
	"github.com/kvbench/kvbench/internal/imported"
)

// outputs are of the tools themselves.
const outputs = "../../imported/parse/testdata/"

// run runs the command.
func run(t *testing.T, in string, args ...string) (out, said string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := Command(&env.Env{In: strings.NewReader(in), Out: &stdout, Err: &stderr})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	err = cmd.ExecuteContext(t.Context())
	return stdout.String(), stderr.String(), err
}

func document(t *testing.T, text string) *imported.Imported {
	t.Helper()
	in, err := imported.Read([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return in
}

func TestAnOutputBecomesADocument(t *testing.T) {
	out, _, err := run(t, "", outputs+"redis-benchmark.csv", "--operation", "GET=READ", "--operation", "SET=UPDATE", "--workload", "cache")
	if err != nil {
		t.Fatal(err)
	}
	in := document(t, out)
	if in.Tool != imported.RedisBenchmark || in.Workload != "cache" || in.Source.File != "redis-benchmark.csv" || len(in.Source.SHA256) != 64 || in.Valid != nil {
		t.Errorf("%+v", in)
	}
	read := in.Operations[1]
	if read.Operation != "READ" || *read.Throughput != 108695.65 || *read.Latencies[0].P99Micros != 215 || read.Errors != nil {
		t.Errorf("%+v", read)
	}
	if len(in.Remarks) != 2 || !strings.Contains(in.Remarks[1], "READ is GET of the tool") {
		t.Errorf("%q", in.Remarks)
	}
}

func TestStandardInputIsAFile(t *testing.T) {
	content, err := os.ReadFile(outputs + "ycsb.txt")
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := run(t, string(content), "-")
	if err != nil {
		t.Fatal(err)
	}
	if in := document(t, out); in.Source.File != "stdin" || in.Workload != "stdin" {
		t.Errorf("%+v", in)
	}
}

func TestWhoeverKnowsTheTimeSaysIt(t *testing.T) {
	out, _, err := run(t, "", outputs+"ycsb.txt", "--time", "service")
	if err != nil {
		t.Fatal(err)
	}
	in := document(t, out)
	for _, n := range in.NotKnown {
		if n == imported.Time {
			t.Errorf("it is not known after it was said: %q", in.NotKnown)
		}
	}
	if in.Operations[0].Latencies[0].Time != imported.Service || len(in.Remarks) != 1 {
		t.Errorf("%+v", in)
	}
}

func TestIntendedLatenciesWithoutATargetAreLeftOut(t *testing.T) {
	out, _, err := run(t, "", outputs+"ycsb-both.json", "--time", "service")
	if err != nil {
		t.Fatal(err)
	}
	in := document(t, out)
	for _, o := range in.Operations {
		if len(o.Latencies) != 1 || o.Latencies[0].Time != imported.Service {
			t.Errorf("%+v", o)
		}
	}
	if len(in.Remarks) != 1 || !strings.Contains(in.Remarks[0], "left out") {
		t.Errorf("%q", in.Remarks)
	}
}

// The tool's name says that the parts are counted twice. Another name doesn't change that.
func TestARenameLeavesTheRole(t *testing.T) {
	output := "[OVERALL], RunTime(ms), 1000\n[OVERALL], Throughput(ops/sec), 5.0\n"
	for _, name := range []string{"READ", "READ-MODIFY-WRITE"} {
		for _, figure := range []string{"Operations, 9", "AverageLatency(us), 3", "MinLatency(us), 1", "MaxLatency(us), 9", "Return=OK, 9"} {
			output += "[" + name + "], " + figure + "\n"
		}
	}
	out, _, err := run(t, output, "-", "--operation", "READ-MODIFY-WRITE=TRANSFER")
	if err != nil {
		t.Fatal(err)
	}
	in := document(t, out)
	set := in.Figures()
	if f := set.Find("stdin", "", "", "errors"); f != nil || in.Operations[1].Operation != "TRANSFER" || in.Operations[1].Role != imported.Whole {
		t.Errorf("%+v, %+v", f, in.Operations)
	}
}

func TestADocumentIsReplacedAsAWhole(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "ycsb.imported.json")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	old, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if _, _, err := run(t, "", outputs+"ycsb.txt", "--dir", folder); err != nil {
		t.Fatal(err)
	}
	if content, err := io.ReadAll(old); err != nil || string(content) != "old" {
		t.Errorf("whoever reads the old document sees %.20q, %v", content, err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestSeveralFilesGoToAFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "imported")
	out, said, err := run(t, "", outputs+"ycsb.txt", outputs+"k6.json", "--dir", folder)
	if err != nil || out != "" || !strings.Contains(said, "k6.json is an output of k6.") {
		t.Fatalf("%v, %q, %q", err, out, said)
	}
	for name, tool := range map[string]string{"ycsb.imported.json": imported.YCSB, "k6.imported.json": imported.K6} {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if in := document(t, string(content)); in.Tool != tool {
			t.Errorf("%s is of %s", name, in.Tool)
		}
	}
}

func TestATableSaysThatNobodyKnowsWhetherItIsValid(t *testing.T) {
	out, _, err := run(t, "", outputs+"memtier.json", outputs+"ycsb-both.json", "-o", "table")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"memtier.json, imported from memtier: validity not known\n", "\nSets        910     -        6438/s       service   229.0 µs   39.00 µs   -", "\nAll together: 70745/s\n",
		"ycsb-both.json, imported from ycsb: validity not known\n", "response   27.98 ms", "\nNobody judged whether the numbers are valid.\n",
	} {
		if !strings.Contains(out, text) {
			t.Errorf("nothing says %q:\n%s", text, out)
		}
	}
}

func TestAnExportThatIsNotValidSaysSo(t *testing.T) {
	content, err := os.ReadFile(outputs + "ycsb.txt")
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := run(t, "[KVBENCH], Valid, false\n"+string(content), "-", "-o", "table")
	if err != nil || !strings.HasPrefix(out, "stdin, imported from ycsb: not valid\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestWhatCannotBeImportedIsRefusedWithWhatToDo(t *testing.T) {
	folder := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	again, err := json.Marshal(map[string]any{"kind": imported.Kind})
	if err != nil {
		t.Fatal(err)
	}
	notes, done := write("notes.txt", "hello\n"), write("done.json", string(again))
	cut, hostile := write("cut.txt", "[OVERALL], RunTime(ms), 5\n[REA"), write("hostile.txt", "[OVERALL], RunTime(ms), \x1b[2J\n")
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{}, "at least 1 arg"},
		{[]string{outputs + "none.txt"}, "none.txt can't be imported: open"},
		{[]string{outputs}, "is a directory"},
		{[]string{notes}, "name the tool with --tool"},
		{[]string{done}, "an imported document already"},
		{[]string{notes, "--tool", "ycsb"}, "as an output of ycsb: it has no [OVERALL]"},
		{[]string{notes, "--tool", "wrk"}, "it can be ycsb, go-ycsb"},
		{[]string{cut}, "as an output of ycsb: line 2:"},
		{[]string{hostile}, "line 1:"},
		{[]string{outputs + "ycsb.txt", outputs + "k6.txt"}, "--dir DIR"},
		{[]string{outputs + "ycsb.txt", outputs + "ycsb.txt", "--dir", folder}, "would both be ycsb.imported.json"},
		{[]string{outputs + "ycsb.txt", "--dir", folder, "-o", "yaml"}, "leave out -o yaml"},
		{[]string{outputs + "ycsb.txt", "--operation", "READ"}, "such as GET=READ"},
		{[]string{outputs + "ycsb.txt", "--operation", "READ=GET", "--operation", "READ=SET"}, "renames READ twice"},
		{[]string{outputs + "ycsb.txt", "--operation", "GET=READ"}, "there are READ, UPDATE"},
		{[]string{outputs + "ycsb.txt", "--operation", "UPDATE=READ"}, `"READ" is there twice`},
		{[]string{outputs + "ycsb.txt", "--time", "wall"}, "service or response"},
		{[]string{outputs + "ycsb-both.json", "--time", "response"}, "leave out --time"},
		{[]string{outputs + "memtier.json", "--time", "service"}, "leave out --time"},
		{[]string{outputs + "ycsb.txt", "--workload", "a\nb"}, "characters that can't be shown"},
	} {
		out, _, err := run(t, "", c.args...)
		if err == nil || exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), c.says) || out != "" || strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%v: %v, want %q", c.args, err, c.says)
		}
	}
}
