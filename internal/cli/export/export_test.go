package export

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/exit"
	"github.com/kvbench/kvbench/internal/cli/export/tarfs"
	"github.com/kvbench/kvbench/internal/imported"
	"github.com/kvbench/kvbench/internal/imported/parse"
	"github.com/kvbench/kvbench/internal/report"
)

// golden writes a bundle that the report's tests keep to a folder, as a tar archive.
func golden(t *testing.T, name string) string {
	t.Helper()
	packed, err := os.Open(filepath.Join("../../report/compute/testdata/golden", name, "bundle.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name+".tar")
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// export runs the command.
func export(t *testing.T, args ...string) (out, said string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := Command(&env.Env{Out: &stdout, Err: &stderr})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	err = cmd.ExecuteContext(t.Context())
	return stdout.String(), stderr.String(), err
}

func TestAnExportHasTheLinesOfYCSB(t *testing.T) {
	out, said, err := export(t, golden(t, "leader-kill"), "--format", "ycsb")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"[OVERALL], RunTime(ms), 20000", "[OVERALL], Throughput(ops/sec), 169.65", "[KVBENCH], ThroughputOfSuccesses, true",
		"[READ], Operations, 1683", "[READ], AverageLatency(us), 1000.0", "[READ], 99.9PercentileLatency(us), 1000",
		"[READ-FAILED], Operations, 337", "[Intended-READ], 99thPercentileLatency(us), 2000", "[Intended-UPDATE-FAILED], Operations, 317",
	} {
		if !strings.Contains(out, line+"\n") {
			t.Errorf("the export lacks %s:\n%s", line, out)
		}
	}
	if strings.Contains(out, "[KVBENCH], Valid") || strings.Contains(out, "Censored") || strings.Contains(out, "Saturated") {
		t.Error("numbers that are valid are marked")
	}
	for _, text := range []string{"595 operations of workload a is unknown", "no place for faults", "of the 3393 successes that ended in the measurement. Its other lines have the 3392"} {
		if !strings.Contains(said, text) {
			t.Errorf("nothing says %q: %s", text, said)
		}
	}
}

func TestAnExportOfNumbersThatAreNotValidSaysSo(t *testing.T) {
	bundle := golden(t, "closed-loop")
	for format, mark := range map[string]string{
		"ycsb": "[KVBENCH], Valid, false\n", "hdr": "#[kvbench: workload a of the run leader-kill]\n#[kvbench: the numbers are not valid: GeneratorPaused", "ycsb-json": "[ {\n  \"metric\" : \"KVBENCH\"", "csv": "namespace,run,valid",
	} {
		out, said, err := export(t, bundle, "--format", format)
		if exit.Code(err) != exit.Unknown || !strings.HasPrefix(out, mark) || !strings.Contains(said, "not valid: GeneratorPaused") {
			t.Errorf("%s: code %d, %.60q, %s", format, exit.Code(err), out, said)
		}
	}
}

// In a closed loop nothing was intended at another time than it was sent.
func TestAClosedLoopHasNoIntendedLatencies(t *testing.T) {
	out, _, _ := export(t, golden(t, "closed-loop"), "--format", "ycsb")
	if strings.Contains(out, "Intended") || !strings.Contains(out, "[READ], Operations, 2966\n") {
		t.Error(out)
	}
}

func TestAnIntervalLogHasAllOperationsUnderTheirTags(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "logs")
	bundle := golden(t, "leader-kill")
	if _, said, err := export(t, bundle, "--format", "hdr", "--dir", folder); err != nil || !strings.Contains(said, folder) {
		t.Fatal(err, said)
	}
	written, err := os.ReadFile(filepath.Join(folder, "a.hlog"))
	if err != nil {
		t.Fatal(err)
	}
	printed, _, err := export(t, bundle, "--format", "hdr")
	if err != nil || printed != string(written) {
		t.Errorf("%v: standard output has something else than the file", err)
	}
	if !strings.HasPrefix(printed, "#[kvbench: workload a of the run leader-kill]\n#[Histogram log format version 1.3]\n") {
		t.Errorf("begins with %.100q", printed)
	}
	operations, seconds := map[string]int64{}, map[int64]bool{}
	for log := hdr.NewHistogramLogReader(strings.NewReader(printed)); ; {
		h, err := log.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			break
		}
		operations[h.Tag()] += h.TotalCount()
		seconds[h.StartTimeMs()] = true
	}
	for tag, want := range map[string]int64{"READ": 1683, "READ-FAILED": 26, "READ-UNKNOWN": 311, "Intended-READ": 1683, "Intended-UPDATE": 1709} {
		if operations[tag] != want {
			t.Errorf("%s: %d operations, want %d", tag, operations[tag], want)
		}
	}
	if len(seconds) != 20 {
		t.Errorf("%d seconds, want 20", len(seconds))
	}
}

// An export has the report's own figures, of each bundle that the report's tests keep.
func TestFiguresAreTheReportsOwn(t *testing.T) {
	folders, err := os.ReadDir("../../report/compute/testdata/golden")
	if err != nil || len(folders) == 0 {
		t.Fatal(err)
	}
	compared := 0
	for _, folder := range folders {
		document, err := os.ReadFile(filepath.Join("../../report/compute/testdata/golden", folder.Name(), "report.json"))
		if err != nil {
			t.Fatal(err)
		}
		var made report.Report
		if err := json.Unmarshal(document, &made); err != nil {
			t.Fatal(err)
		}
		for i := range made.Workloads {
			w := &made.Workloads[i]
			if w.StartedAt == nil {
				continue
			}
			out, _, err := export(t, golden(t, folder.Name()), "--format", "ycsb", "--workload", w.Name)
			if code := exit.Code(err); code != 0 && code != exit.Unknown {
				t.Fatalf("%s: %v", folder.Name(), err)
			}
			for _, o := range w.Operations {
				if o.Outcome != "ok" || o.Count == 0 {
					continue
				}
				for prefix, l := range map[string]*report.Latency{"": o.ServiceTime, "Intended-": o.ResponseTime} {
					if l == nil {
						continue
					}
					metric := "[" + prefix + o.Operation + "], "
					for measurement, value := range map[string]int64{"Operations": o.Count, "MaxLatency(us)": l.MaxMicros, "50thPercentileLatency(us)": l.P50Micros,
						"95thPercentileLatency(us)": l.P95Micros, "99thPercentileLatency(us)": l.P99Micros, "99.9PercentileLatency(us)": l.P999Micros} {
						if line := fmt.Sprintf("%s%s, %d\n", metric, measurement, value); !strings.Contains(out, line) {
							t.Errorf("%s: the export lacks %s", folder.Name(), line)
						}
						compared++
					}
				}
			}
		}
	}
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

// What was exported can be imported again, with the report's figures.
func TestAnExportIsAnOutputOfYCSB(t *testing.T) {
	for _, format := range []string{"ycsb", "ycsb-json"} {
		out, _, err := export(t, golden(t, "leader-kill"), "--format", format)
		if err != nil {
			t.Fatal(err)
		}
		m, err := parse.Output(parse.Recognize([]byte(out)), []byte(out))
		if err != nil {
			t.Fatal(err)
		}
		read := m.Operations[0]
		if m.Tool != imported.YCSB || read.Operation != "READ" || *read.Count != 1683+337 || *read.Errors != 337 || len(read.Latencies) != 2 || *read.Latencies[1].P99Micros != 2000 {
			t.Errorf("%s: %+v", format, read)
		}
	}
}

// The golden run two-faults has operations that never started, at a store that could not take the load.
func TestLowerBoundsAndSaturationStayWithTheExport(t *testing.T) {
	bundle := golden(t, "two-faults")
	for format, marks := range map[string][]string{
		"ycsb":      {"[KVBENCH], ResponseTimeCensored, true\n", "[KVBENCH], Saturated, true\n"},
		"ycsb-json": {`"ResponseTimeCensored"`, `"Saturated"`},
		"hdr":       {"#[kvbench: 201 operations never started", "#[kvbench: the store was saturated"},
		// Its columns have no place for them. They are said.
		"csv-seconds": {"unix_seconds"},
	} {
		out, said, err := export(t, bundle, "--workload", "a", "--format", format)
		if code := exit.Code(err); code != 0 && code != exit.Unknown {
			t.Fatal(err)
		}
		for _, mark := range marks {
			if !strings.Contains(out, mark) {
				t.Errorf("%s lacks %s", format, mark)
			}
		}
		for _, text := range []string{"201 operations of workload a never started", "could not take the load of workload a"} {
			if !strings.Contains(said, text) {
				t.Errorf("%s: nothing says %q: %s", format, text, said)
			}
		}
	}
	out, _, _ := export(t, bundle, "--workload", "a", "--format", "ycsb")
	m, err := parse.Output(imported.YCSB, []byte(out))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range m.Operations {
		if len(o.Latencies) != 1 || o.Latencies[0].Time != imported.Service {
			t.Errorf("%+v", o)
		}
	}
	set := (&imported.Imported{Workload: "a", Measured: *m}).Figures()
	if throughput, errors := set.Find("a", "", "", "throughput"), set.Find("a", "", "", "errors"); throughput == nil || throughput.Value != 37.75 || errors != nil {
		t.Errorf("%+v, %+v", throughput, errors)
	}
}

func TestSecondsSayWhetherTheyAreValid(t *testing.T) {
	for name, ending := range map[string]string{"leader-kill": ",true", "closed-loop": ",false"} {
		out, _, err := export(t, golden(t, name), "--format", "csv-seconds")
		if code := exit.Code(err); code != 0 && code != exit.Unknown {
			t.Fatal(err)
		}
		for i, line := range strings.Split(strings.TrimSpace(out), "\n") {
			if want := map[bool]string{true: ",valid", false: ending}[i == 0]; !strings.HasSuffix(line, want) {
				t.Fatalf("%s: %q doesn't end with %s", name, line, want)
			}
		}
	}
}

func TestADocumentThatCannotBeWrittenLeavesTheOldOne(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.txt")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := (&destination{folder: folder}).put("a.txt", func(to io.Writer) error {
		_, _ = io.WriteString(to, "half")
		return broken
	})
	content, failed := os.ReadFile(path)
	if !errors.Is(err, broken) || failed != nil || string(content) != "old" {
		t.Errorf("%v, %v, %q", err, failed, content)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestANameOfAWorkloadIsNoPath(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"../a.txt", "/a.txt", "..", "a\x1b[2J.txt"} {
		to := &destination{folder: filepath.Join(folder, "below")}
		if err := to.putBytes(name, []byte("x")); err == nil || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestAReportAloneGivesItsFigures(t *testing.T) {
	report := "../../report/compute/testdata/golden/leader-kill/report.json"
	out, _, err := export(t, report, "--format", "csv", "--workload", "a")
	if err != nil || !strings.Contains(out, ",a,READ,,p99,response,0.002,s,false\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestSecondsHaveTheirPhase(t *testing.T) {
	out, _, err := export(t, golden(t, "leader-kill"), "--format", "csv-seconds")
	if err != nil || !strings.Contains(out, "\n1800000000,warmup,READ,ok,service,108,") || !strings.Contains(out, ",measurement,READ,ok,") {
		t.Errorf("%v\n%.400s", err, out)
	}
}

func TestAFolderIsExportedAsItsArchiveIs(t *testing.T) {
	archive := golden(t, "leader-kill")
	file, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	files, err := tarfs.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.CopyFS(filepath.Join(folder, "bundle"), files); err != nil {
		t.Fatal(err)
	}
	want, _, _ := export(t, archive, "--format", "ycsb")
	if got, _, err := export(t, folder, "--format", "ycsb"); err != nil || got != want || got == "" {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestWhatCannotBeExportedIsRefusedWithWhatToDo(t *testing.T) {
	bundle := golden(t, "leader-kill")
	text := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(text, []byte("no archive\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	report := "../../report/compute/testdata/golden/leader-kill/report.json"
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{bundle}, "--format: ycsb"},
		{[]string{bundle, "--format", "xml"}, "it can be ycsb"},
		{[]string{bundle, "--format", "ycsb", "--workload", "zz"}, "no workload zz; it has a"},
		{[]string{"missing.tar", "--format", "ycsb"}, "missing.tar: no such file"},
		{[]string{text, "--format", "ycsb"}, "is no bundle"},
		{[]string{t.TempDir(), "--format", "ycsb"}, "is no bundle: it has no plan.json"},
		{[]string{report, "--format", "hdr", "--dir", t.TempDir()}, "no histograms"},
	} {
		out, _, err := export(t, c.args...)
		if err == nil || exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), c.says) || out != "" {
			t.Errorf("%v: %v, want %q", c.args[1:], err, c.says)
		}
	}
}
