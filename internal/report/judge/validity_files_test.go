package judge_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/read"
	"github.com/kvbench/kvbench/internal/report/reporttest"
	"github.com/kvbench/kvbench/internal/report/telemetry"
)

func TestFilesOfWorkersAreJudged(t *testing.T) {
	judge(t, []expectation{
		{
			name:    "the workload never started",
			files:   func(f bundletest.Files) { delete(f, bundle.StartFile("a")) },
			reasons: []string{report.NotMeasured, report.FaultNotInjected},
		},
		{
			name: "a worker never claimed its index",
			files: func(f bundletest.Files) {
				f.Put(bundle.ClaimsFile, bundletest.Line(bundle.Claim{Writer: bundletest.WorkerOf(0)}))
			},
			reasons: []string{report.WorkerLost}, says: "worker 1",
		},
		{
			name:    "a worker left no bins",
			files:   func(f bundletest.Files) { delete(f, bundletest.WorkerOf(1).File(bundle.Bins)) },
			reasons: []string{report.WorkerLost}, says: ".bins",
		},
		{
			name:    "a worker's log has no end mark",
			files:   func(f bundletest.Files) { delete(f, bundle.EndFile(bundletest.WorkerOf(0).File(bundle.Hlog))) },
			reasons: []string{report.FileIncomplete}, says: "no end mark",
			check: func(t *testing.T, r *report.Report) {
				bundletest.Near(t, "intended by the other worker", r.Workloads[0].Intended, 2_500, 200)
			},
		},
		{
			name: "a worker's log is shorter than its end mark says",
			files: func(f bundletest.Files) {
				name := bundletest.WorkerOf(0).File(bundle.Hlog)
				f.Put(name, f[name].Data[:len(f[name].Data)/2])
			},
			reasons: []string{report.FileIncomplete}, says: "end mark says",
		},
		{
			name: "a worker's bins are of another start",
			files: func(f bundletest.Files) {
				name := bundletest.WorkerOf(0).File(bundle.Bins)
				f.Put(name, bundle.AppendBinsHeader(nil, 17))
				f.End(name)
			},
			reasons: []string{report.FileCorrupt}, says: "counts from 17",
		},
		{
			name: "a worker's log is rubbish",
			files: func(f bundletest.Files) {
				name := bundletest.WorkerOf(0).File(bundle.Hlog)
				f.Put(name, []byte("Tag=READ,1.0,1.0,1.0,HISTFAAA\n"))
				f.End(name)
			},
			reasons: []string{report.FileCorrupt}, says: "line 1",
			check: func(t *testing.T, r *report.Report) {
				bundletest.Near(t, "intended by the other worker", r.Workloads[0].Intended, 2_500, 200)
			},
		},
		{
			name:    "a worker's bins and its summary differ",
			change:  func(s *reporttest.Situation) { s.Finish.Succeeded = 1 },
			reasons: []string{report.FileCorrupt, report.FileCorrupt, report.NoOperations}, says: "its bins have",
		},
		{
			name:    "a worker's bins and its summary differ in what never started",
			change:  func(s *reporttest.Situation) { s.Finish.NeverStarted = 1 },
			reasons: []string{report.FileCorrupt, report.FileCorrupt, report.NoOperations}, says: "successes and 0 never started",
		},
		{
			name: "a worker's bins hide operations",
			files: func(f bundletest.Files) {
				f.AddLine(bundletest.WorkerOf(0).File(bundle.Bins), "700,1,0,0,0,-1,-1\n")
			},
			reasons: []string{report.FileCorrupt}, says: "that ended or never started",
		},
		{
			name:    "a worker's second began after its end",
			change:  seconds(func(s *bundle.SelfSecond) { s.LengthMicros = -3_000_000 }, 0),
			reasons: []string{report.FileCorrupt, report.FileCorrupt, report.NoOperations}, says: "line 2: a second of -3000000 µs",
		},
		{
			name:    "a worker's second has no length",
			change:  seconds(func(s *bundle.SelfSecond) { s.LengthMicros = 0 }, 0),
			reasons: []string{report.FileCorrupt, report.FileCorrupt, report.NoOperations}, says: "a second of 0 µs",
		},
		{
			name:    "a worker sent less than nothing",
			change:  seconds(func(s *bundle.SelfSecond) { s.Sent = -1 }, 5),
			reasons: []string{report.FileCorrupt, report.FileCorrupt, report.NoOperations}, says: "a count of -1",
		},
		{
			name:    "a worker counts less than nothing",
			change:  func(s *reporttest.Situation) { s.Finish.OverRange = -1 },
			reasons: []string{report.FileCorrupt, report.FileCorrupt, report.NoOperations}, says: "a summary with a count of -1",
		},
		{
			name:    "a worker's clock is off by centuries",
			change:  func(s *reporttest.Situation) { s.Clock.OffsetNanos = -1 << 63 },
			reasons: []string{report.FileCorrupt, report.FileCorrupt, report.NoOperations}, says: "a clock with offset",
		},
		{
			// 27 s are recorded, an operation has two deadlines of 2 s, and a minute is allowed.
			name: "a worker's bins reach to the last that can be",
			files: func(f bundletest.Files) {
				f.AddLine(bundletest.WorkerOf(0).File(bundle.Bins), "9100,0,0,0,0,-1,-1\n")
			},
		},
		{
			name: "a worker's bins go on after the end of all",
			files: func(f bundletest.Files) {
				f.AddLine(bundletest.WorkerOf(0).File(bundle.Bins), "9101,0,0,0,0,-1,-1\n")
			},
			reasons: []string{report.FileCorrupt}, says: "bin 9101 is later than anything that can have ended",
		},
		{
			name: "a worker's line is longer than any that is written",
			files: func(f bundletest.Files) {
				name := bundletest.WorkerOf(0).File(bundle.Jsonl)
				f.Put(name, append([]byte(`{"errors":[`+strings.Repeat("{},", read.MaxJSONLine/3)+`{}]}`+"\n"), f[name].Data...))
				f.End(name)
			},
			reasons: []string{report.FileCorrupt}, says: "line 1: longer than",
		},
		{
			name: "a worker's line has more kinds of errors than there are",
			files: func(f bundletest.Files) {
				name := bundletest.WorkerOf(0).File(bundle.Jsonl)
				f.Put(name, append([]byte(`{"errors":[`+strings.Repeat("{},", telemetry.MaxErrorsOfLine)+`{}]}`+"\n"), f[name].Data...))
				f.End(name)
			},
			reasons: []string{report.FileCorrupt}, says: "1001 kinds of errors",
		},
		{
			name: "a worker's file ends without its summary",
			files: func(f bundletest.Files) {
				name := bundletest.WorkerOf(0).File(bundle.Jsonl)
				f.Put(name, bundletest.Line(bundle.SelfLine{Clock: &bundle.Clock{}}))
				f.End(name)
			},
			reasons: []string{report.NoFinish},
		},
		{
			name:    "a histogram could not take a value",
			change:  func(s *reporttest.Situation) { s.Finish.Dropped = 1 },
			reasons: []string{report.ValuesDropped, report.ValuesDropped},
		},
		{
			name: "a second pod of an index is ignored",
			files: func(f bundletest.Files) {
				second := bundletest.WorkerOf(0)
				second.PodUID = bundletest.PodUID(50)
				f.Put(bundle.ClaimsFile, append(f[bundle.ClaimsFile].Data, bundletest.Line(bundle.Claim{Writer: second})...))
				f.Put(second.File(bundle.Hlog), []byte("rubbish"))
			},
		},
		{
			name: "the last line of the claims was cut off with the server",
			files: func(f bundletest.Files) {
				f.Put(bundle.ClaimsFile, append(f[bundle.ClaimsFile].Data, `{"role":"wor`...))
			},
		},
	})
}

// afterwards is a loader's file of an attempt that began when that one was done.
func afterwards(t *testing.T, file []byte) []byte {
	t.Helper()
	var self bundle.SelfLine
	if err := json.Unmarshal(file, &self); err != nil {
		t.Fatal(err)
	}
	f := self.Finish
	f.StartedUnixNanos, f.EndedUnixNanos = f.EndedUnixNanos, 2*f.EndedUnixNanos-f.StartedUnixNanos
	return bundletest.Line(self)
}

func loadingIsNotValidFor(t *testing.T, r *report.Report, reason string) {
	t.Helper()
	l := r.Workloads[0].Loading
	if l.Valid || len(l.InvalidReasons) != 1 || l.InvalidReasons[0].Reason != reason {
		t.Errorf("the loading is %v, for %v", l.Valid, l.InvalidReasons)
	}
}

func TestLoadingIsJudged(t *testing.T) {
	judge(t, []expectation{
		{
			name: "a loader's first attempt died; the second one's files count",
			files: func(f bundletest.Files) {
				first, second := bundletest.LoaderOf(0, 0), bundletest.LoaderOf(0, 1)
				for _, kind := range []string{bundle.Hlog, bundle.Jsonl} {
					f.Put(second.File(kind), f[first.File(kind)].Data)
					f.End(second.File(kind))
					delete(f, bundle.EndFile(first.File(kind)))
				}
			},
			check: func(t *testing.T, r *report.Report) { loadingIsNotValidFor(t, r, report.LoadRepeated) },
		},
		{
			name: "an attempt of a loader ended before it shipped anything",
			files: func(f bundletest.Files) {
				f.Put(bundle.ClaimsFile, append(f[bundle.ClaimsFile].Data, bundletest.Line(bundle.Claim{Writer: bundletest.LoaderOf(0, 1)})...))
			},
			check: func(t *testing.T, r *report.Report) { loadingIsNotValidFor(t, r, report.LoadRepeated) },
		},
		{
			name: "two attempts of a loader: only one counts",
			files: func(f bundletest.Files) {
				for _, kind := range []string{bundle.Hlog, bundle.Jsonl} {
					f.Put(bundletest.LoaderOf(0, 1).File(kind), f[bundletest.LoaderOf(0, 0).File(kind)].Data)
					f.End(bundletest.LoaderOf(0, 1).File(kind))
				}
			},
			check: func(t *testing.T, r *report.Report) {
				if n := r.Workloads[0].Loading.Records; n != 1000 {
					t.Errorf("%d records", n)
				}
				loadingIsNotValidFor(t, r, report.LoadRepeated)
			},
		},
		{
			name: "a loader was started again after it was done: its figures are the first one's",
			files: func(f bundletest.Files) {
				first, second := bundletest.LoaderOf(0, 0), bundletest.LoaderOf(0, 1)
				f.Put(second.File(bundle.Hlog), f[first.File(bundle.Hlog)].Data)
				f.Put(second.File(bundle.Jsonl), afterwards(t, f[first.File(bundle.Jsonl)].Data))
				f.End(second.File(bundle.Hlog))
				f.End(second.File(bundle.Jsonl))
			},
			check: func(t *testing.T, r *report.Report) {
				if l := r.Workloads[0].Loading; !l.Valid || l.Records != 1000 {
					t.Errorf("the loading is %v, for %v", l.Valid, l.InvalidReasons)
				}
			},
		},
		{
			name:    "a loader is missing",
			files:   func(f bundletest.Files) { delete(f, bundletest.LoaderOf(1, 0).File(bundle.Hlog)) },
			reasons: []string{report.LoadIncomplete}, says: "loader 1",
			check: func(t *testing.T, r *report.Report) { loadingIsNotValidFor(t, r, report.LoadIncomplete) },
		},
		{
			name:    "fewer records than planned",
			change:  func(s *reporttest.Situation) { s.Workload().Records = 2000 },
			reasons: []string{report.LoadIncomplete}, says: "1000 of 2000",
			check: func(t *testing.T, r *report.Report) { loadingIsNotValidFor(t, r, report.LoadIncomplete) },
		},
		{
			name:   "nothing was to be loaded",
			change: func(s *reporttest.Situation) { s.Workload().LoadFirst = false },
			check: func(t *testing.T, r *report.Report) {
				if r.Workloads[0].Loading != nil {
					t.Error("loading is reported")
				}
			},
		},
	})
}
