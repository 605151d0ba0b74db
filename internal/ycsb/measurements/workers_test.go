package measurements

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/workload"
)

// threeWorkers have a second of warm-up, seconds 101 and 102 of the measurement, and one of cool-down.
func threeWorkers(t *testing.T) *Recording {
	t.Helper()
	dir := t.TempDir()
	r := &Recording{Files: os.DirFS(dir), MeasuredFrom: 101, MeasuredTo: 103}
	addWorker(t, r, dir, "100 READ 10 1", "101 READ 10 2", "102 READ 20 4", "103 READ 30 8")
	addWorker(t, r, dir, "101 READ 50 16", "101 READ-FAILED 7 32", "102 READ 10 64")
	addWorker(t, r, dir, "102 UPDATE 10 128", "101 READ 10 256", "103 UPDATE 10 512")
	return r
}

func TestTotalsAreOfAllWorkersWithoutWarmUpAndCoolDown(t *testing.T) {
	totals, err := threeWorkers(t).Totals()
	if err != nil {
		t.Fatal(err)
	}
	reads := totals.Histograms[Latencies{Operation: "READ"}]
	if reads.CountAtValue(10) != 2+64+256 || reads.CountAtValue(20) != 4 || reads.CountAtValue(50) != 16 || reads.TotalCount() != 342 {
		t.Errorf("%d reads, %d of 10 µs, %d of 20 and %d of 50", reads.TotalCount(), reads.CountAtValue(10), reads.CountAtValue(20), reads.CountAtValue(50))
	}
	if totals.Failed("READ") != 32 || totals.count("UPDATE", "") != 128 {
		t.Errorf("%d reads failed, %d updates", totals.Failed("READ"), totals.count("UPDATE", ""))
	}
}

func TestEachSecondIsOfAllWorkersAndComesOnce(t *testing.T) {
	var seconds, reads []int64
	err := threeWorkers(t).eachSecond(func(second int64, rows map[row]*hdr.PackedHistogram) error {
		seconds = append(seconds, second)
		reads = append(reads, rows[row{operation: "READ", outcome: "ok"}].TotalCount())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ second, reads int64 }{{100, 1}, {101, 2 + 16 + 256}, {102, 4 + 64}, {103, 8}} {
		if i >= len(seconds) || seconds[i] != want.second || reads[i] != want.reads {
			t.Fatalf("seconds %v with %v reads, want %+v at place %d", seconds, reads, want, i)
		}
	}
}

func TestALogThatBreaksEndsTheReadingOfAll(t *testing.T) {
	r := threeWorkers(t)
	r.Writers[1].PodUID = "lost"
	if err := r.eachSecond(func(int64, map[row]*hdr.PackedHistogram) error { return nil }); err == nil || !strings.Contains(err.Error(), "worker-run-1-lost.hlog") {
		t.Errorf("error: %v", err)
	}
}

func TestATaggedLogHasTheMeasurementOfAllWorkersAndTheComments(t *testing.T) {
	var text strings.Builder
	if err := threeWorkers(t).WriteTagged(&text, "of a test", "the numbers are not valid"); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(text.String(), "#[of a test]\n#[the numbers are not valid]\n#[Histogram log format version 1.3]\n#[BaseTime: 101.000 ") {
		t.Errorf("begins with %.200q", text.String())
	}
	log := hdr.NewHistogramLogReader(strings.NewReader(text.String()))
	var rows []string
	for {
		h, err := log.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			break
		}
		rows = append(rows, fmt.Sprintf("%d to %d %s %d", h.StartTimeMs(), h.EndTimeMs(), h.Tag(), h.TotalCount()))
	}
	want := []string{"101000 to 102000 READ-FAILED 32", "101000 to 102000 READ 274", "102000 to 103000 READ 68", "102000 to 103000 UPDATE 128"}
	if !slices.Equal(rows, want) {
		t.Errorf("rows are %q, want %q", rows, want)
	}
}

func TestTagsAreThoseOfTheBundlesLogs(t *testing.T) {
	for want, of := range map[string]row{
		"READ": {"READ", "ok", false}, "Intended-UPDATE-FAILED": {"UPDATE", "failed", true}, "INSERT-UNKNOWN": {"INSERT", "unknown", false},
	} {
		if got := of.tag(); got != want {
			t.Errorf("%+v has the tag %s, want %s", of, got, want)
		}
	}
}

func TestNumbersThatAreNotValidAreMarkedInTheFirstLine(t *testing.T) {
	f := recorded(t, 2000)
	f.NotValid = true
	client, _, err := workload.ParseClient(nil)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(f.Text(client)); !strings.HasPrefix(text, "[KVBENCH], Valid, false\n[OVERALL], RunTime(ms), 12345\n") {
		t.Errorf("begins with %.80q", text)
	}
	if text := string(f.JSONArray(client)); !strings.HasPrefix(text, "[ {\n  \"metric\" : \"KVBENCH\",\n  \"measurement\" : \"Valid\",\n  \"value\" : false\n}, {") {
		t.Errorf("begins with %.80q", text)
	}
}
