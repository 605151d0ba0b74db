package report

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
)

func reportOf(t *testing.T, f files) *Report {
	t.Helper()
	r, err := FromBundle(f.fs())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReportOfALeaderKill(t *testing.T) {
	s := newSituation()
	s.errors = []bundle.ErrorSeen{{Operation: "READ", Outcome: "unknown", Code: "DeadlineExceeded", Count: 7, Example: "deadline"}}
	r := reportOf(t, s.build(t))
	if !r.Valid || len(r.InvalidReasons) != 0 {
		t.Errorf("valid is %t for %v", r.Valid, r.InvalidReasons)
	}
	if *r.Clock.BoundMicros != 100 {
		t.Errorf("the clocks' bound is %d µs", *r.Clock.BoundMicros)
	}

	w := r.Workloads[0]
	if w.Load.Model != ModelOpen || w.Load.UpdateWrites != WritesRecord {
		t.Errorf("load is %+v", w.Load)
	}
	if l := w.Loading; l == nil || l.Records != 1000 || l.DurationMicros != 2*sec || l.Throughput != 500 || l.Insert.P50Micros < 1200 {
		t.Errorf("loading is %+v", l)
	}
	if got := w.Succeeded + w.Failed + w.Unknown; got != w.Intended {
		t.Errorf("%d operations ended and %d were intended", got, w.Intended)
	}
	near(t, "intended", w.Intended, 20_000, 600)
	near(t, "unknown", w.Unknown, 3_000, 300)
	if len(w.Series) != 27 || w.Series[0].Second != -2 || w.Series[0].Phase != PhaseWarmup || w.Series[26].Phase != PhaseCooldown {
		t.Errorf("series has %d seconds from %+v", len(w.Series), w.Series[0])
	}
	var intended, counted int64
	for _, row := range w.Series {
		if row.Phase == PhaseMeasurement {
			intended += row.Intended
		}
		if (row.P99Micros == nil) != (row.OK == 0) {
			t.Errorf("second %d has %d successes and p99 %v", row.Second, row.OK, row.P99Micros)
		}
	}
	for _, op := range w.Operations {
		counted += op.Count
		if op.ResponseTime.P50Micros-op.ServiceTime.P50Micros < 999 {
			t.Errorf("%s %s: response time %+v, service time %+v", op.Operation, op.Outcome, op.ResponseTime, op.ServiceTime)
		}
		if *op.WaitTime != (Latency{P50Micros: ms, P95Micros: ms, P99Micros: ms, P999Micros: ms, MaxMicros: ms, MeanMicros: ms}) {
			t.Errorf("%s %s: wait %+v, all waited for 1 ms", op.Operation, op.Outcome, *op.WaitTime)
		}
	}
	if intended != w.Intended || counted != w.Intended {
		t.Errorf("%d were intended, %d in the series, %d by operation", w.Intended, intended, counted)
	}
	if len(w.Errors) != 1 || w.Errors[0].Count != 14 {
		t.Errorf("errors are %+v", w.Errors)
	}
	near(t, "achieved rate", int64(*w.Generator.AchievedRate), 1000, 30)

	f := r.Faults[0]
	near(t, "outage", *f.OutageMicros, 3*sec, 0)
	near(t, "longest gap", *f.LongestGapMicros, 3*sec, 0)
	if f.OutageCensored || f.LimitedByClient || !f.Effective {
		t.Errorf("fault is %+v", f)
	}
	if f.LeaderBefore != "m-1" || f.LeaderAfter != "m-2" || f.TermBefore != 4 || f.TermAfter != 5 {
		t.Errorf("leader %s → %s, term %d → %d", f.LeaderBefore, f.LeaderAfter, f.TermBefore, f.TermAfter)
	}
	if *f.EffectiveBy != ByOperation {
		t.Errorf("effective by %s", *f.EffectiveBy)
	}
	near(t, "effective", f.EffectiveAt.SinceStartMicros, 8*sec+30*ms, 12*ms)
	near(t, "healed", f.HealedAt.SinceStartMicros, 16*sec, 1)
	near(t, "injected after, widened by the clocks' bound", f.InjectedAt.After.SinceStartMicros, 8*sec+10*ms-100, 1)
	near(t, "injected before, widened by the clocks' bound", f.InjectedAt.Before.SinceStartMicros, 8*sec+200*ms+100, 1)
	if f.DueAt.Time != "2027-01-15T08:00:10.000000Z" {
		t.Errorf("due at %s", f.DueAt.Time)
	}
}

func TestEveryOperationOfTheMeasurementIsCountedOnce(t *testing.T) {
	s := newSituation()
	s.observe(killedAt+2930*ms, 32*sec, 500*ms, topologyLine("m-2", 5, true))
	s.answers(func(at int64) answer {
		if at >= 20_500*ms { // to the end of the cool-down, and long after the members were steady
			return answer{never: true, waited: true}
		}
		a := stall(killedAt+30*ms, killedAt+3030*ms)(at)
		a.absent = at/ms%7 == 0
		return a
	})
	r := reportOf(t, s.build(t))
	if !r.Valid {
		t.Errorf("not valid: %v", r.InvalidReasons)
	}
	w := r.Workloads[0]
	near(t, "never started", w.NeverStarted, 1_500, 200)
	near(t, "failed", w.Failed, 18_000/7, 300)
	if sum := w.Succeeded + w.Failed + w.Unknown + w.NeverStarted; sum != w.Intended {
		t.Errorf("%d operations of %d are accounted for", sum, w.Intended)
	}
	near(t, "outage", *r.Faults[0].OutageMicros, 3*sec, 0)
	if !w.ResponseTimeCensored {
		t.Error("the percentiles are lower bounds, and nothing says so")
	}
	for _, text := range []string{r.Table(), string(r.Markdown())} {
		if !strings.Contains(text, " never started of ") {
			t.Errorf("the operations that never started are missing in\n%s", text)
		}
	}
	for _, text := range []string{r.Table(), string(r.Markdown()), strings.Join(w.Remarks(), "\n")} {
		if !strings.Contains(text, "operations never started and have no response time: the percentiles are lower bounds") {
			t.Errorf("that percentiles are lower bounds is missing in\n%s", text)
		}
	}
}

func TestTimesBeyondTheHistogramsAreReportedAndNoReason(t *testing.T) {
	s := newSituation()
	s.finish.OverRange = 4
	r := reportOf(t, s.build(t))
	if !r.Valid || r.Workloads[0].OverRange != 8 {
		t.Errorf("valid %t for %v, %d over range", r.Valid, r.InvalidReasons, r.Workloads[0].OverRange)
	}
	for _, text := range []string{r.Table(), string(r.Markdown())} {
		if !strings.Contains(text, "8 times were above 600.000 s") {
			t.Errorf("the times over range are missing in\n%s", text)
		}
	}
}

func TestAReportNamesTheFilesOfItsRun(t *testing.T) {
	s := newSituation()
	s.plan.Files = []plan.File{{Name: "traces_day.csv", ConfigMap: "traces", Key: "day.csv", SHA256: "5eed", Bytes: 20}}
	r := reportOf(t, s.build(t))
	if len(r.Files) != 1 || r.Files[0] != s.plan.Files[0] {
		t.Errorf("files %+v", r.Files)
	}
	if text := string(r.Markdown()); !strings.Contains(text, "| traces_day.csv | traces | day.csv | 20 | 5eed |") {
		t.Errorf("the file is missing in\n%s", text)
	}
}

func TestAReportTellsWhatWasRepaired(t *testing.T) {
	s := newSituation()
	s.topology[3].Repair = "m-1 was <promoted>"
	at := s.topology[3].AtUnixNanos
	r := reportOf(t, s.build(t))
	want := []Repair{{Time: rfc3339(at), What: "m-1 was <promoted>"}}
	if !slices.Equal(r.Repairs, want) || !r.Valid {
		t.Errorf("%+v, want %+v; %v", r.Repairs, want, r.InvalidReasons)
	}
	if text := string(r.Markdown()); !strings.Contains(text, "## Repairs") || !strings.Contains(text, "m-1 was &lt;promoted>") {
		t.Error(text)
	}
}

func TestSameBundleSameBytes(t *testing.T) {
	f := newSituation().build(t)
	first, err := reportOf(t, f).JSON()
	if err != nil {
		t.Fatal(err)
	}
	// The report's own files, once they are stored beside the rest, don't count.
	f.put(bundle.ReportFile, first)
	f.put(bundle.MarkdownFile, reportOf(t, f).Markdown())
	local := time.Local
	time.Local = time.FixedZone("elsewhere", 5*3600+1800)
	defer func() { time.Local = local }()
	r, err := FromBundle(backwards{fstest.MapFS(f)})
	if err != nil {
		t.Fatal(err)
	}
	again, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, again) {
		t.Error("the same bundle gave other bytes in another order and time zone")
	}
}

// backwards lists its files in another order.
type backwards struct{ fstest.MapFS }

func (b backwards) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := b.MapFS.ReadDir(name)
	slices.Reverse(entries)
	return entries, err
}

func TestStartBetweenTwoSecondsShiftsRowsOnly(t *testing.T) {
	s := newSituation()
	s.shift(400 * int64(time.Millisecond))
	r := reportOf(t, s.build(t))
	if !r.Valid {
		t.Errorf("not valid: %v", r.InvalidReasons)
	}
	near(t, "outage", *r.Faults[0].OutageMicros, 3*sec, 0)
	near(t, "intended", r.Workloads[0].Intended, 20_000, 600)
	if n := len(r.Workloads[0].Series); n != 27 {
		t.Errorf("series has %d seconds", n)
	}
}

func TestAnUpdateWritesWhatTheWorkloadTakesItsPropertyFor(t *testing.T) {
	for value, want := range map[string]string{"true": WritesRecord, "TRUE": WritesRecord, "false": WritesFields, "": WritesFields} {
		w := &plan.Workload{Properties: map[string]string{"writeallfields": value}}
		if got := reportLoad(&plan.Store{}, w).UpdateWrites; got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}

func TestWhatFollowsAnInjectionIsNotInTheP99Before(t *testing.T) {
	// Rows of the log are cut at full seconds of the clock, a measurement may begin between
	// two of them. The row in which the leader is killed holds operations of after.
	for _, c := range []struct {
		name           string
		warmup, offset int64 // of the start, from a full second
	}{
		{"all at full seconds", 2 * sec, 0},
		{"a start after a full second", 2 * sec, 300 * ms},
		{"a start before a full second", 2 * sec, 700 * ms},
		{"a warm-up of no full seconds", 2600 * ms, 0},
		{"both", 2600 * ms, 700 * ms},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSituation()
			s.answers(stall(killedAt+30*ms, killedAt+3030*ms)) // all succeed, late
			s.workload().Load.WarmupMillis = c.warmup / 1000
			s.shift(c.offset * micro)
			r := reportOf(t, s.build(t))
			f := r.Faults[0]
			if *f.P99BeforeMicros > 3*ms {
				t.Errorf("p99 before is %d µs", *f.P99BeforeMicros)
			}
			near(t, "outage", *f.OutageMicros, 3*sec, 0)
		})
	}
}

// Of two workers: a bin in which both had to wait is one.
func TestEachBinInWhichTheBoundWasReachedIsCounted(t *testing.T) {
	s := newSituation()
	s.answers(func(at int64) answer {
		return answer{took: 2 * ms, waited: at >= 5*sec+980*ms && at < 6*sec+210*ms || at < sec}
	})
	s.plan.Faults, s.fault = nil, nil
	w := reportOf(t, s.build(t)).Workloads[0]
	for _, row := range w.Series {
		want := map[int64]int{-2: 100, 3: 2, 4: 21}[row.Second]
		if row.LimitedBins != want {
			t.Errorf("second %d: %d bins, want %d", row.Second, row.LimitedBins, want)
		}
	}
	if w.Generator.LimitedBins != 23 {
		t.Errorf("%d bins of the measurement, want 23", w.Generator.LimitedBins)
	}
}

func TestClosedLoopHasServiceTimesOnly(t *testing.T) {
	s := newSituation()
	s.workload().Load.Rate = 0
	r := reportOf(t, s.build(t))
	w := r.Workloads[0]
	if w.Load.Model != ModelClosed || w.Load.Arrivals != "" || w.Load.MaxInFlight != 0 {
		t.Errorf("load is %+v", w.Load)
	}
	for _, op := range w.Operations {
		if op.ResponseTime != nil || op.WaitTime != nil || op.ServiceTime == nil {
			t.Errorf("%s: response time %v, service time %v", op.Operation, op.ResponseTime, op.ServiceTime)
		}
	}
	if w.Generator.AchievedRate != nil {
		t.Error("a closed loop has no rate to achieve")
	}
	if !r.Faults[0].LimitedByClient {
		t.Error("the outage of a closed loop is limited by the client")
	}
}

func TestMeasurementOfOperationsEndsWithThem(t *testing.T) {
	s := newSituation()
	s.workload().Load.Rate = 0
	s.workload().DurationMillis, s.workload().Operations = 0, 27_000
	s.plan.Faults, s.fault = nil, nil
	w := reportOf(t, s.build(t)).Workloads[0]
	if w.DurationMicros != 25*sec || w.Load.RequestedOperations != 27_000 {
		t.Errorf("lasted %d µs", w.DurationMicros)
	}
	if last := w.Series[len(w.Series)-1]; last.Phase != PhaseMeasurement {
		t.Errorf("the last second is %+v", last)
	}
}

func TestWhatAStoreTakesToDrainIsNotTheGenerators(t *testing.T) {
	// The last operation of the number asked for is intended in second 12, and the store
	// has answered all of them by second 27.
	build := func(lastIntended int64) files {
		s := newSituation()
		s.workload().DurationMillis, s.workload().Operations = 0, 10_000
		s.plan.Faults, s.fault = nil, nil
		s.paced = func(second, due int64) int64 {
			switch {
			case second < 12:
				return due
			case second == 12:
				return due / 2
			}
			return 0
		}
		s.finish.LastIntendedUnixNanos = lastIntended
		return s.build(t)
	}
	s := newSituation()
	r := reportOf(t, build(s.nanos(12*sec+500*ms)))
	if !r.Valid {
		t.Errorf("not valid: %v", r.InvalidReasons)
	}
	// Over ten seconds, and the half in which the last was intended.
	if rate := *r.Workloads[0].Generator.IntendedRate; rate < 950 || rate > 1050 {
		t.Errorf("%.1f operations/s were intended, want 1000", rate)
	}
	// A pacer that is still at it, and intends nothing, is not excused.
	r = reportOf(t, build(s.nanos(26*sec+500*ms)))
	if len(r.InvalidReasons) != 1 || r.InvalidReasons[0].Reason != RateNotAchieved {
		t.Errorf("reasons are %v", r.InvalidReasons)
	}
}

func TestSecondFaultIsJudgedByTheCalmBefore(t *testing.T) {
	// The first outage's overdue successes would raise the limit of the second one's.
	s := newSituation()
	second := *s.fault
	second.Name = "again"
	second.Target, second.LeaderBefore, second.TermBefore = "m-2", "m-2", 5
	second.InjectedAfterUnixNanos = s.nanos(21 * sec)
	second.InjectedBeforeUnixNanos = s.nanos(21*sec + 100*ms)
	s.plan.Faults = append(s.plan.Faults, plan.Fault{Name: "again", Workload: "a", Action: "ContainerKill", Target: plan.Target{Role: plan.RoleLeader}, AtMillis: 19_000})
	first := stall(killedAt+30*ms, killedAt+3030*ms)
	s.answers(func(at int64) answer {
		if at > 20*sec {
			return stall(21*sec+10*ms, 21*sec+910*ms)(at)
		}
		return first(at)
	})
	s.observe(21*sec+200*ms, 32*sec, 500*ms, topologyLine("m-0", 6, true))
	f := s.build(t)
	f[bundle.FaultsFile].Data = append(f[bundle.FaultsFile].Data, line(second)...)
	r := reportOf(t, f)
	if !r.Valid {
		t.Errorf("not valid: %v", r.InvalidReasons)
	}
	near(t, "first outage", *r.Faults[0].OutageMicros, 3*sec, 0)
	near(t, "second outage", *r.Faults[1].OutageMicros, 900*ms, 0)
	if *r.Faults[1].OverdueMicros != *r.Faults[0].OverdueMicros {
		t.Errorf("overdue above %d, then %d", *r.Faults[0].OverdueMicros, *r.Faults[1].OverdueMicros)
	}
	if r.Faults[0].LeaderAfter != "m-2" || r.Faults[1].LeaderAfter != "m-0" {
		t.Errorf("leaders after are %s and %s", r.Faults[0].LeaderAfter, r.Faults[1].LeaderAfter)
	}
}

func TestBundleWithoutPlanGivesNoReport(t *testing.T) {
	f := newSituation().build(t)
	delete(f, bundle.PlanFile)
	if _, err := FromBundle(f.fs()); err == nil || !strings.Contains(err.Error(), "plan") {
		t.Errorf("error is %v", err)
	}
	f.put(bundle.PlanFile, []byte(`{"format": 2}`))
	if _, err := FromBundle(f.fs()); err == nil || !strings.Contains(err.Error(), "format 2") {
		t.Errorf("error is %v", err)
	}
}

func TestRenderers(t *testing.T) {
	s := newSituation()
	s.errors = []bundle.ErrorSeen{{Operation: "READ", Outcome: "failed", Code: "A|B", Count: 1, Example: "<script>\nnext \\| 0"}}
	r := reportOf(t, s.build(t))
	r.InvalidReasons = []Reason{{Reason: GeneratorLag, Message: "too late"}}
	r.Valid = false
	table, markdown := r.Table(), string(r.Markdown())
	for _, text := range []string{table, markdown} {
		for _, want := range []string{"leader-kill", "etcd v3.7.3 of quay.io/coreos/etcd, 3 members", "NOT VALID", "too late", "READ", "m-1 → m-2", "3.0", "open loop, 1000 operations/s"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing in\n%s", want, text)
			}
		}
	}
	if strings.Contains(markdown, "<script>") || strings.Contains(markdown, "A|B") || !strings.Contains(markdown, `next \\\| 0`) {
		t.Errorf("text from pods is not escaped:\n%s", markdown)
	}
	lines := strings.Split(table, "\n")
	if slices.ContainsFunc(lines, func(l string) bool { return len(l) > 200 }) {
		t.Errorf("the table is too wide:\n%s", table)
	}
	t.Log("\n" + table + "\n" + markdown)
}
