package compute_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores/scripted"
)

// Two workers replay a trace, in which the last request is one of the first worker's, long
// after all others. The report has each request once, in its own second.
func TestAReportCountsATraceOfTwoWorkers(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	bySecond := map[int64]int64{}
	add := func(millis int64, request string) {
		fmt.Fprintf(&text, "%d.%03d,%s\n", millis/1000, millis%1000, request)
		bySecond[millis/1000-warmup.Milliseconds()/1000]++
	}
	for i := range int64(30) {
		add(i*100, fmt.Sprintf("READ,user%d,", i))
	}
	for range 7 {
		add(3000, "UPDATE,user1,50") // all at once
	}
	add(4500, "DELETE,user1,")
	p := planOf(time.Second)
	p.Faults = nil
	w := &p.Workloads[0]
	w.Preset, w.DurationMillis, w.Operations = "", 0, 28 // without the ten of the warm-up
	w.Load.Arrivals, w.Load.Trace = plan.ArrivalsTrace, &plan.Trace{File: "m_day.csv", Rows: 38, Stretch: 1}
	run := newRun(t, scripted.New(scripted.Script{ServiceTime: 2 * time.Millisecond}), p)
	run.trace = text.String()
	run.load(t)
	run.observe(t, run.measure(t), 0)

	found := run.reported(t).Workloads[0]
	if found.Intended != 28 || found.Intended != found.Succeeded+found.Failed+found.Unknown || found.Load.Trace.Rows != 38 {
		t.Errorf("%d operations intended, %d succeeded, %d failed, of a trace of %d", found.Intended, found.Succeeded, found.Failed, found.Load.Trace.Rows)
	}
	counts := map[string]int64{}
	for _, operation := range found.Operations {
		counts[operation.Operation] += operation.Count
	}
	if want := map[string]int64{"READ": 20, "UPDATE": 7, "DELETE": 1}; !maps.Equal(counts, want) {
		t.Errorf("operations %v, want %v", counts, want)
	}
	intended := map[int64]int64{}
	for _, second := range found.Series {
		intended[second.Second] = second.Intended
	}
	if !maps.Equal(intended, bySecond) {
		t.Errorf("intended %v, want %v", intended, bySecond)
	}
	if d := time.Duration(found.DurationMicros) * time.Microsecond; d < 3500*time.Millisecond {
		t.Errorf("measured for %v, and the last request was due then", d)
	}
}
