package loadgen

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/scripted"
)

func TestMetricsTellWhatWasRecorded(t *testing.T) {
	t.Parallel()
	j, _, _ := job(t, scripted.Script{}, preset(t, "C"), plan.Load{Rate: 200, Arrivals: plan.ArrivalsConstant, MaxInFlight: 100})
	j.Workload.DurationMillis = 500
	if err := j.Measure(t.Context()); err != nil {
		t.Fatal(err)
	}
	text := scrape(j.Metrics)
	for _, want := range []string{
		`kvbench_operations_total{operation="READ",outcome="ok",store="scripted",workload="a"} 100`,
		`kvbench_operations_total{operation="READ",outcome="failed",store="scripted",workload="a"} 0`, // a rate needs it before the first failure
		`kvbench_operations_total{operation="READ",outcome="unknown",store="scripted",workload="a"} 0`,
		`kvbench_operation_duration_seconds_bucket{operation="READ",outcome="ok",store="scripted",workload="a",le="+Inf"} 100`,
		`kvbench_operation_duration_seconds_bucket{operation="READ",outcome="ok",store="scripted",workload="a",le="2.5"} 100`,
		`kvbench_operation_response_seconds_count{operation="READ",outcome="ok",store="scripted",workload="a"} 100`,
		`kvbench_send_lag_seconds_count{store="scripted",workload="a"} 100`,
		`kvbench_ship_pending_bytes{store="scripted",workload="a"} 0`,
		`kvbench_in_flight{store="scripted",workload="a"} `,
		"kvbench_build_info{",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the metrics", want)
		}
	}
	if !regexp.MustCompile(`kvbench_shipped_bytes_total{[^}]*} [1-9]`).MatchString(text) {
		t.Error("nothing was counted as shipped")
	}
}

func TestAClosedLoopHasNoResponseTimesInItsMetrics(t *testing.T) {
	t.Parallel()
	j, _, _ := job(t, scripted.Script{}, preset(t, "C"), plan.Load{Threads: 2})
	j.Workload.Operations = 50
	if err := j.Measure(t.Context()); err != nil {
		t.Fatal(err)
	}
	text := scrape(j.Metrics)
	if !strings.Contains(text, "kvbench_operation_duration_seconds_count{") || strings.Contains(text, "kvbench_operation_response_seconds") {
		t.Errorf("the metrics are\n%s", text)
	}
}

func TestPartsOfOperationsAreNotCountedAsOperations(t *testing.T) {
	t.Parallel()
	m, set := NewMetrics("scripted", "a"), record.NewSet(1, 0, false)
	set.Recorder(0).Finish(&record.Sample{Kind: stores.ReadModifyWrite, Done: time.Millisecond})
	set.Recorder(0).Finish(&record.Sample{Kind: stores.Read, Part: true, Done: time.Millisecond})
	m.second(set.Collect(), 1)
	text := scrape(m)
	if !strings.Contains(text, `operation="READ-MODIFY-WRITE"`) || strings.Contains(text, `operation="READ"`) {
		t.Errorf("the metrics are\n%s", text)
	}
}

// The chart's PodMonitor takes no more of a pod, and no less.
func TestAWorkerHasFewerSamplesThanAPodMonitorTakes(t *testing.T) {
	t.Parallel()
	m, set := NewMetrics("scripted", "a"), record.NewSet(1, 0, true)
	for kind := range stores.NumKinds {
		for outcome := range stores.NumOutcomes {
			set.Recorder(0).Finish(&record.Sample{Kind: kind, Outcome: outcome, Done: time.Millisecond})
		}
	}
	m.second(set.Collect(), 1)
	samples := len(regexp.MustCompile(`(?m)^[a-z]`).FindAllString(scrape(m), -1))
	if want := int(stores.NumKinds) * int(stores.NumOutcomes) * 2 * len(classicBounds); samples < want || samples > 2500 {
		t.Errorf("%d samples of each operation and outcome, want from %d to half of the 5,000 that a PodMonitor takes", samples, want)
	}
}

func scrape(m *Metrics) string {
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	return answer.Body.String()
}
