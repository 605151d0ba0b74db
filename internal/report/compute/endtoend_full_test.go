package compute_test

import (
	"bytes"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/results"
	"github.com/kvbench/kvbench/internal/stores/scripted"
)

// TestAResultsServerThatRunsFullKeepsWhatWasMeasured has two load generators measure for longer than a
// results server has room, on the whole way to the report.
func TestAResultsServerThatRunsFullKeepsWhatWasMeasured(t *testing.T) {
	const ofOneRun = 2 << 20
	open := plan.Load{Rate: 400, Arrivals: plan.ArrivalsConstant, MaxInFlight: 600, Connections: 16}
	closed := plan.Load{Threads: 4}
	var asked atomic.Int64
	for _, c := range []struct {
		name    string
		load    plan.Load
		change  func(*results.Config)
		ballast int // bytes that the run has before it measures
	}{
		{"an open loop, and the run has what it may", open, func(c *results.Config) { c.Limits.BytesPerRun = ofOneRun }, ofOneRun - ofOneRun/16 - 60_000},
		{"a closed loop, and the run has what it may", closed, func(c *results.Config) { c.Limits.BytesPerRun = ofOneRun }, ofOneRun - ofOneRun/16 - 60_000},
		{"an open loop, and the volume fills up", open, func(c *results.Config) {
			reserve := c.Limits.ReserveBytes
			c.Free = func() (uint64, error) { // is asked with each append: of three files, by two workers, each second
				if asked.Add(1) < 25 {
					return 1 << 40, nil
				}
				return reserve/2 - 1, nil
			}
		}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := planOf(time.Second)
			w := &p.Workloads[0]
			w.LoadFirst, w.DurationMillis = false, 600_000
			c.load.Workers, c.load.WarmupMillis, c.load.OperationTimeoutMillis = 2, 1000, 1000
			w.Load, p.Faults = c.load, nil
			run := newRun(t, scripted.New(scripted.Script{ServiceTime: 5 * time.Millisecond}), p, c.change)
			if c.ballast > 0 {
				name := bundle.Writer{Role: bundle.RoleObserver, PodUID: podUID(99)}.File(bundle.Jsonl)
				if _, err := run.client.Append(t.Context(), runUID, name, 0, bytes.Repeat([]byte("\n"), c.ballast)); err != nil {
					t.Fatal(err)
				}
			}
			run.measure(t)
			r := run.reported(t)
			measured := r.Workloads[0]
			if len(r.InvalidReasons) == 0 || !hasReason(r, report.ResultsFull) || hasReason(r, report.FileIncomplete) || hasReason(r, report.FileCorrupt) {
				t.Fatalf("the reasons are %+v", r.InvalidReasons)
			}
			if d := measured.DurationMicros; d < 1_000_000 || d > 60_000_000 || d%1_000_000 != 0 {
				t.Errorf("%d µs were measured", d)
			}
			if measured.Succeeded == 0 || measured.Throughput < 100 {
				t.Errorf("%d succeeded, %.0f/s", measured.Succeeded, measured.Throughput)
			}
			for _, second := range measured.Series {
				if second.Second*1_000_000 >= measured.DurationMicros {
					t.Errorf("the series has the second %d", second.Second)
				}
			}
		})
	}
}

func hasReason(r *report.Report, reason string) bool {
	for _, each := range r.InvalidReasons {
		if each.Reason == reason {
			return true
		}
	}
	return false
}
