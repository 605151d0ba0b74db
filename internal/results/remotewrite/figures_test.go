package remotewrite

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/charts"
	"github.com/kvbench/kvbench/internal/report/documents"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// folderOf has the documents of a real run, whose bundle is kept.
func folderOf(t *testing.T, name string) string {
	t.Helper()
	made, err := documents.FromBundle(reporttest.Archive(t, filepath.Join("../../report/compute/testdata/golden", name, "bundle.tar.gz")))
	must(t, err)
	drawn, err := made.Charts()
	must(t, err)
	return folderWith(t, made.Report, drawn)
}

func folderWith(t *testing.T, made, drawn []byte) string {
	t.Helper()
	folder := t.TempDir()
	must(t, os.WriteFile(filepath.Join(folder, bundle.ReportFile), made, 0o600))
	must(t, os.WriteFile(filepath.Join(folder, bundle.ChartsFile), drawn, 0o600))
	return folder
}

// documentsIn are decoded whole, as any reader of them does.
func documentsIn(t *testing.T, folder string) (*report.Report, *charts.Charts) {
	t.Helper()
	r, c := &report.Report{}, &charts.Charts{}
	for name, into := range map[string]any{bundle.ReportFile: r, bundle.ChartsFile: c} {
		content, err := os.ReadFile(filepath.Join(folder, name))
		must(t, err)
		must(t, json.Unmarshal(content, into))
	}
	return r, c
}

// sent is what a receiver has of a run.
func sent(t *testing.T, folder string) *receiver {
	t.Helper()
	to := newReceiver(t)
	s := New(Target{URL: to.url}, nil, slog.New(slog.DiscardHandler), nil)
	must(t, s.sendRun(t.Context(), Run{UID: "1", Folder: folder, Mark: func([]byte) error { return nil }}))
	return to
}

func TestWhatIsSentAgreesWithTheReportToTheDigit(t *testing.T) {
	for _, name := range []string{"leader-kill", "closed-loop", "two-faults"} {
		t.Run(name, func(t *testing.T) {
			folder := folderOf(t, name)
			made, drawn := documentsIn(t, folder)
			to := sent(t, folder)
			for i := range drawn.Workloads {
				c := &drawn.Workloads[i]
				w := &made.Workloads[slices.IndexFunc(made.Workloads, func(w report.Workload) bool { return w.Name == c.Name })]
				started, err := time.Parse(time.RFC3339Nano, *w.StartedAt)
				must(t, err)
				of := []string{strconv.Quote(w.Name), strconv.Quote(made.Run.ID), strconv.Quote(made.Run.UID), strconv.Quote(made.Run.Namespace)}
				own := []string{"workload=" + of[0], "kvbench_io_run=" + of[1], "run_uid=" + of[2], "run_namespace=" + of[3], "valid=" + strconv.Quote(strconv.FormatBool(made.Valid))}
				series := func(name string, more ...string) []sample {
					return to.find(append(append([]string{"__name__=" + strconv.Quote(name)}, own...), more...)...)
				}
				agreeOnCounts(t, w, started, series)
				agreeOnLatencies(t, c, started, series)
			}
		})
	}
}

type find func(name string, more ...string) []sample

func agreeOnCounts(t *testing.T, w *report.Workload, started time.Time, series find) {
	for what, got := range map[string][]sample{
		"intended": series("kvbench_report_intended"), "ok": series("kvbench_report_operations", `outcome="ok"`),
		"failed": series("kvbench_report_operations", `outcome="failed"`), "unknown": series("kvbench_report_operations", `outcome="unknown"`),
	} {
		if len(got) != len(w.Series)+1 || !math.IsNaN(got[len(w.Series)].Value) {
			t.Fatalf("%s: %d samples of %d seconds, and the last one is %v", what, len(got), len(w.Series), got[len(got)-1])
		}
		for i, s := range w.Series {
			want := map[string]int64{"intended": s.Intended, "ok": s.OK, "failed": s.Failed, "unknown": s.Unknown}[what]
			end := started.Add(time.Duration(s.Second+1) * time.Second).UnixMilli()
			if got[i].Millis != end || strconv.FormatFloat(got[i].Value, 'f', -1, 64) != strconv.FormatInt(want, 10) {
				t.Errorf("%s in second %d is %v, and the report has %d at %d", what, s.Second, got[i], want, end)
			}
		}
	}
}

func agreeOnLatencies(t *testing.T, c *charts.Workload, started time.Time, series find) {
	compared := 0
	for _, o := range c.Operations {
		for kind, p := range map[string]*charts.Percentiles{"response": o.Response, "service": o.Service} {
			if p == nil {
				continue
			}
			for quantile, column := range map[string][]*int64{"0.5": p.P50, "0.95": p.P95, "0.99": p.P99, "0.999": p.P999, "1": p.Max} {
				at := map[int64]float64{}
				for _, s := range series("kvbench_report_latency_seconds", "operation="+strconv.Quote(o.Operation), "time="+strconv.Quote(kind), "quantile="+strconv.Quote(quantile)) {
					at[s.Millis] = s.Value
				}
				for i, micros := range column {
					end := started.Add(time.Duration(c.FirstSecond+int64(i)+1) * time.Second).UnixMilli()
					got, is := at[end]
					if micros == nil {
						if is && !math.IsNaN(got) {
							t.Errorf("%s of %s: there is no such percentile in step %d, and %v was sent", quantile, o.Operation, i, got)
						}
						continue
					}
					compared++
					if digits := strconv.FormatFloat(got, 'f', -1, 64); digits != inSeconds(*micros) {
						t.Errorf("%s of %s in step %d is %s, and the charts have %d µs", quantile, o.Operation, i, digits, *micros)
					}
				}
			}
		}
	}
	if compared == 0 {
		t.Error("no percentile was compared")
	}
}

// inSeconds moves the point, without arithmetic of floats.
func inSeconds(micros int64) string {
	text := big.NewRat(micros, 1_000_000).FloatString(6)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// drawn is a workload with so many steps, of which those in empty have no success.
func drawn(steps int, step int64, empty ...int) *columns {
	numbers := func() []int64 { return make([]int64, steps) }
	p50 := make([]*int64, steps)
	for i := range p50 {
		p50[i] = new(int64)
	}
	for _, i := range empty {
		p50[i] = nil
	}
	p := &charts.Percentiles{P50: p50, P95: p50, P99: p50, P999: p50, Max: p50}
	return &columns{Format: charts.Format, Workloads: []workload{{Name: "main", StepSeconds: step, Steps: steps,
		Counts:     charts.Counts{Intended: numbers(), OK: numbers(), Failed: numbers(), Unknown: numbers(), Completed: numbers()},
		Operations: []charts.Operation{{Operation: "READ", Count: numbers(), Service: p}}}}}
}

func began(at string) *about {
	of := &about{Valid: true}
	of.Run.Name, of.Store.Name = "demo", "etcd"
	if err := json.Unmarshal([]byte(fmt.Sprintf(`{"workloads":[{"name":"main","startedAt":%q}]}`, at)), of); err != nil {
		panic(err)
	}
	return of
}

func TestASecondWithoutASuccessIsAGap(t *testing.T) {
	all, err := seriesOf(began("2026-01-02T03:04:05.000000Z"), drawn(6, 1, 0, 2, 3, 5))
	must(t, err)
	var got []string
	for _, s := range all[len(all)-1].Samples {
		got = append(got, fmt.Sprint(time.UnixMilli(s.Millis).UTC().Format("05.000 "), s.Value))
	}
	// Seconds 1 and 4 have one. Each gap, and the end, is told once.
	if want := "07.000 0,08.000 NaN,10.000 0,11.000 NaN"; strings.Join(got, ",") != want {
		t.Errorf("sent is %v, want %s", got, want)
	}
	if s := all[len(all)-1].Samples[1]; math.Float64bits(s.Value) != 0x7ff0000000000002 {
		t.Errorf("the gap is told as %x", math.Float64bits(s.Value))
	}
}

func TestTimesAreFullSecondsAtTheEndsOfSteps(t *testing.T) {
	for _, c := range []struct {
		started     string
		step        int64
		first, last string
	}{
		{"2026-01-02T03:04:05.000000Z", 1, "03:04:06", "03:04:08"},
		{"2026-01-02T03:04:05.000000Z", 30, "03:04:35", "03:05:35"},
		// As the rows of the logs, which the percentiles are from.
		{"2026-01-02T03:04:05.499999Z", 1, "03:04:06", "03:04:08"},
		{"2026-01-02T03:04:05.500001Z", 1, "03:04:07", "03:04:09"},
	} {
		all, err := seriesOf(began(c.started), drawn(3, c.step))
		must(t, err)
		ends := all[1].Samples
		first, last := time.UnixMilli(ends[0].Millis).UTC(), time.UnixMilli(ends[2].Millis).UTC()
		if first.Format("15:04:05.999") != c.first || last.Format("15:04:05.999") != c.last {
			t.Errorf("%s in steps of %d s: from %v to %v", c.started, c.step, first, last)
		}
		if all[0].Samples[0].Value != float64(c.step) {
			t.Errorf("a step of %d s is told as %v s", c.step, all[0].Samples[0].Value)
		}
	}
}

func TestLabelsAreBoundedText(t *testing.T) {
	of := began("2026-01-02T03:04:05.000000Z")
	of.Run.Namespace, of.Run.Name, of.Store.Name = "", "a\n\x00\xff\u202e\"b", strings.Repeat("é", 10_000)
	all, err := seriesOf(of, drawn(1, 1))
	must(t, err)
	for _, s := range all {
		values := map[string]string{}
		for i, l := range s.Labels {
			values[l.Name] = l.Value
			if l.Value == "" || len(l.Value) > maxValue || !utf8.ValidString(l.Value) || i > 0 && s.Labels[i-1].Name >= l.Name {
				t.Errorf("label %d of %v", i, s.Labels)
			}
		}
		if _, has := values["run_namespace"]; has || values["run"] != `a????"b` || values["store"] != strings.Repeat("é", maxValue/2) {
			t.Errorf("labels %v", values)
		}
	}
}

func TestDocumentsThatCannotBeUsedSayWhy(t *testing.T) {
	good := began("2026-01-02T03:04:05.000000Z")
	for want, change := range map[string]func(*about, *columns){
		"format 2":                   func(_ *about, c *columns) { c.Format = 2 },
		"2 places for 3 steps":       func(_ *about, c *columns) { c.Workloads[0].Counts.Failed = make([]int64, 2) },
		"0 places for 3 steps":       func(_ *about, c *columns) { c.Workloads[0].Operations[0].Response = &charts.Percentiles{} },
		"3 steps of 0 s":             func(_ *about, c *columns) { c.Workloads[0].StepSeconds = 0 },
		`when workload "x" began`:    func(_ *about, c *columns) { c.Workloads[0].Name = "x" },
		`when workload "main" began`: func(of *about, _ *columns) { of.Workloads[0].StartedAt = nil },
		"parsing time": func(of *about, _ *columns) {
			yesterday := "yesterday"
			of.Workloads[0].StartedAt = &yesterday
		},
	} {
		c, of := drawn(3, 1), began(*good.Workloads[0].StartedAt)
		change(of, c)
		if _, err := seriesOf(of, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	var bad *unusable
	if _, err := read(folderWith(t, []byte(`{"workloads":`), nil)); !errors.As(err, &bad) {
		t.Errorf("a report that was cut: %v", err)
	}
}
