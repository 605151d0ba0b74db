package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/charts"
	"github.com/kvbench/kvbench/internal/report/documents"
	"github.com/kvbench/kvbench/internal/report/reporttest"
	"github.com/kvbench/kvbench/internal/results/remotewrite"
)

// prometheusConfig has it scrape itself too, so that what is sent is older than what it has.
const prometheusConfig = `
global: {scrape_interval: 1s}
storage: {tsdb: {out_of_order_time_window: 12h}}
scrape_configs: [{job_name: self, static_configs: [{targets: [%q]}]}]
`

// TestPrometheusHasTheFiguresOfReports sends real runs' figures to a real Prometheus, and asks for each of them.
func TestPrometheusHasTheFiguresOfReports(t *testing.T) {
	t.Parallel()
	address := FreePorts(t, 1)[0]
	folder := t.TempDir()
	config := filepath.Join(folder, "prometheus.yaml")
	must(t, os.WriteFile(config, fmt.Appendf(nil, prometheusConfig, address), 0o600))
	program := Binary(t, "prometheus")
	server := &Process{Command: func() *exec.Cmd {
		return exec.Command(program, "--config.file="+config, "--storage.tsdb.path="+filepath.Join(folder, "data"),
			"--web.listen-address="+address, "--web.enable-remote-write-receiver")
	}}
	t.Cleanup(func() { server.End(t, "Prometheus") })

	// As if it had been away for five hours when the runs ended.
	begun := time.Now().Add(-5 * time.Hour).Truncate(time.Second)
	folders := []string{runFrom(t, "leader-kill", begun), runFrom(t, "closed-loop", begun.Add(time.Hour))}
	failed := make(chan struct{}, 1)
	log := slog.New(slog.NewTextHandler(writerFunc(func(p []byte) (int, error) {
		t.Logf("%s", p)
		select {
		case failed <- struct{}{}:
		default:
		}
		return len(p), nil
	}), nil))
	sent := sendTo(t, address, log, folders)
	<-failed // nobody listens yet
	server.Start(t)
	sent()
	for _, of := range folders {
		compare(t, address, of)
	}

	// A process that was killed before it kept its mark sends them again.
	for _, of := range folders {
		must(t, os.Remove(filepath.Join(of, remotewrite.MarkFile)))
	}
	sendTo(t, address, log, folders)()
	for _, of := range folders {
		compare(t, address, of)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// runFrom has the documents of a bundle that is kept, with another name and begin.
func runFrom(t *testing.T, name string, begun time.Time) string {
	t.Helper()
	made, err := documents.FromBundle(reporttest.Archive(t, filepath.Join("../../internal/report/compute/testdata/golden", name, "bundle.tar.gz")))
	must(t, err)
	drawn, err := made.Charts()
	must(t, err)
	var r report.Report
	must(t, json.Unmarshal(made.Report, &r))
	r.Run.Name, r.Run.ID = name, name+"-1a2b"
	for i := range r.Workloads {
		if r.Workloads[i].StartedAt != nil {
			at := begun.UTC().Format("2006-01-02T15:04:05.000000Z")
			r.Workloads[i].StartedAt = &at
		}
	}
	document, err := r.JSON()
	must(t, err)
	folder := t.TempDir()
	must(t, os.WriteFile(filepath.Join(folder, bundle.ReportFile), document, 0o600))
	must(t, os.WriteFile(filepath.Join(folder, bundle.ChartsFile), drawn, 0o600))
	return folder
}

// sendTo begins to send the runs. What it returns waits until all were sent.
func sendTo(t *testing.T, address string, log *slog.Logger, folders []string) (wait func()) {
	t.Helper()
	over := make(chan string, len(folders))
	var runs []remotewrite.Run
	for _, folder := range folders {
		runs = append(runs, remotewrite.Run{UID: folder, Folder: folder, Mark: func(content []byte) error {
			if strings.Contains(string(content), `"over":true`) {
				over <- string(content)
			}
			return os.WriteFile(filepath.Join(folder, remotewrite.MarkFile), content, 0o600)
		}})
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	sender := remotewrite.New(remotewrite.Target{URL: "http://" + address + "/api/v1/write"}, func() []remotewrite.Run { return runs }, log, nil)
	go func() {
		defer close(ended)
		sender.Send(ctx)
	}()
	return func() {
		t.Helper()
		for range folders {
			select {
			case mark := <-over:
				if strings.Contains(mark, "trouble") {
					t.Errorf("a run was given up: %s", mark)
				}
			case <-time.After(settleTimeout):
				t.Error("runs are still to be sent")
			}
		}
		cancel()
		<-ended
	}
}

// compare asks Prometheus for all that it has of the run in a folder, and looks at each digit.
func compare(t *testing.T, address, folder string) {
	t.Helper()
	var r report.Report
	var c charts.Charts
	for name, into := range map[string]any{bundle.ReportFile: &r, bundle.ChartsFile: &c} {
		content, err := fs.ReadFile(os.DirFS(folder), name)
		must(t, err)
		must(t, json.Unmarshal(content, into))
	}
	want := map[string]string{}
	for _, w := range c.Workloads {
		for _, of := range r.Workloads {
			if of.Name == w.Name {
				begun, err := time.Parse(time.RFC3339Nano, *of.StartedAt)
				must(t, err)
				figuresOf(&w, begun.Unix()+w.FirstSecond, func(series string, unix int64, value string) {
					want[fmt.Sprintf("%s %s at %d", w.Name, series, unix)] = value
				})
			}
		}
	}
	got := map[string]string{}
	for _, series := range kept(t, address, r.Run.ID) {
		m := series.Metric
		if m["run"] != r.Run.Name || m["store"] != r.Store.Name || m["valid"] != fmt.Sprint(r.Valid) {
			t.Errorf("labels %v", m)
		}
		name := strings.Join([]string{m["__name__"], m["operation"], m["outcome"], m["time"], m["quantile"]}, " ")
		for _, v := range series.Values {
			got[fmt.Sprintf("%s %s at %.3f", m["workload"], name, v[0])] = fmt.Sprint(v[1])
		}
	}
	if len(want) < 100 || len(got) != len(want) {
		t.Errorf("Prometheus has %d samples of run %s, and the charts %d", len(got), r.Run.ID, len(want))
	}
	// A series ends with its run, and isn't shown for five minutes more.
	steps := ask(t, address, fmt.Sprintf(`kvbench_report_step_seconds{kvbench_io_run=%q}[12h]`, r.Run.ID), time.Now())[0].Values
	end := time.Unix(int64(steps[len(steps)-1][0].(float64)), 0)
	for after, n := range map[time.Duration]int{0: 1, time.Second: 0} {
		query := fmt.Sprintf(`kvbench_report_step_seconds{kvbench_io_run=%q}`, r.Run.ID)
		if found := ask(t, address, query, end.Add(after)); len(found) != n {
			t.Errorf("%v after the end of run %s: %v", after, r.Run.ID, found)
		}
	}
	for of, value := range want {
		if had := got[of+".000"]; had != value {
			t.Errorf("%s is %q, and the charts have %s", of, had, value)
		}
	}
}

// figuresOf tells each figure of a workload as text, for the end of its second.
func figuresOf(w *charts.Workload, first int64, tell func(series string, unix int64, value string)) {
	number := func(series string, column []int64) {
		for i, n := range column {
			tell(series, first+int64(i)+1, fmt.Sprint(n))
		}
	}
	for i := range w.Steps {
		micros := int64(1_000_000)
		switch i {
		case 0:
			micros = w.FirstStepMicros
		case w.Steps - 1:
			micros = w.LastStepMicros
		}
		tell("kvbench_report_step_seconds    ", first+int64(i)+1, secondsOf(micros))
	}
	number("kvbench_report_intended    ", w.Counts.Intended)
	number("kvbench_report_completed    ", w.Counts.Completed)
	number("kvbench_report_operations  ok  ", w.Counts.OK)
	number("kvbench_report_operations  failed  ", w.Counts.Failed)
	number("kvbench_report_operations  unknown  ", w.Counts.Unknown)
	for _, o := range w.Operations {
		number("kvbench_report_successes "+o.Operation+"   ", o.Count)
		for kind, p := range map[string]*charts.Percentiles{"response": o.Response, "service": o.Service} {
			if p == nil {
				continue
			}
			for quantile, column := range map[string][]*int64{"0.5": p.P50, "0.95": p.P95, "0.99": p.P99, "0.999": p.P999, "1": p.Max} {
				for i, micros := range column {
					if micros != nil {
						tell(fmt.Sprintf("kvbench_report_latency_seconds %s  %s %s", o.Operation, kind, quantile), first+int64(i)+1, secondsOf(*micros))
					}
				}
			}
		}
	}
}

// secondsOf are microseconds as seconds, with all digits.
func secondsOf(micros int64) string {
	return strings.TrimSuffix(strings.TrimRight(big.NewRat(micros, 1_000_000).FloatString(6), "0"), ".")
}

// kept are the samples of a run, as they are kept: without what a range's steps would make of them.
func kept(t *testing.T, address, run string) []keptSeries {
	t.Helper()
	return ask(t, address, fmt.Sprintf(`{__name__=~"kvbench_report_.+",kvbench_io_run=%q}[12h]`, run), time.Now())
}

type keptSeries struct {
	Metric map[string]string
	Values [][2]any
}

func ask(t *testing.T, address, query string, at time.Time) []keptSeries {
	t.Helper()
	asked := url.Values{"query": {query}, "time": {fmt.Sprint(at.Unix())}}
	answer, err := http.Get("http://" + address + "/api/v1/query?" + asked.Encode())
	must(t, err)
	defer answer.Body.Close()
	var told struct {
		Status string
		Error  string
		Data   struct{ Result []keptSeries }
	}
	if must(t, json.NewDecoder(answer.Body).Decode(&told)); told.Status != "success" {
		t.Fatal(told.Error)
	}
	return told.Data.Result
}
