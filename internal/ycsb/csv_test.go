package ycsb

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/workload"
)

// loggedRun is a run whose log has rows of these seconds, tags and values.
func loggedRun(t *testing.T, rows ...string) *run {
	t.Helper()
	client, _, err := workload.ParseClient(map[string]string{"hdrhistogram.percentiles": "50,99.9"})
	if err != nil {
		t.Fatal(err)
	}
	r := &run{
		Settings: &Settings{Command: &Command{}, client: client}, dir: t.TempDir(), measuredFrom: 101,
		plan: &plan.Plan{Run: plan.Run{UID: "uid"}, Workloads: []plan.Workload{{Name: "run"}}},
	}
	log := "#[Histogram log format version 1.3]\n"
	for _, row := range rows {
		var second, value, count int64
		var tag string
		if _, err := fmt.Sscan(row, &second, &tag, &value, &count); err != nil {
			t.Fatal(err)
		}
		h := histogram.New()
		if err := h.RecordValues(value, count); err != nil {
			t.Fatal(err)
		}
		encoded, err := h.EncodeV2()
		if err != nil {
			t.Fatal(err)
		}
		log += fmt.Sprintf("Tag=%s,%d.000,1.000,0.001,%s\n", tag, second, encoded)
	}
	if err := os.WriteFile(filepath.Join(r.dir, r.writer().File(bundle.Hlog)), []byte(log), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.dir, r.writer().File(bundle.Jsonl)), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return r
}

// Operations that take long have their row after those of later seconds.
func TestTheTableHasEachSecondOnceAndInOrder(t *testing.T) {
	r := loggedRun(t,
		"100 READ 10 1", "101 READ 10 2", "101 LAG 5 9", "102 READ 30 1", "101 READ 2000 1", "102 Intended-READ 40 1", "102 READ-FAILED 7 3", "103 UPDATE-UNKNOWN 8 1")
	var out bytes.Buffer
	if err := writeCSV(&out, r); err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"unix_seconds,phase,operation,outcome,latency,operations,average_us,min_us,max_us,p50_us,p99.9_us",
		"100,warmup,READ,ok,service,1,10.0,10,10,10,10",
		"101,measurement,READ,ok,service,3,673.3,10,2000,10,2000",
		"102,measurement,READ,failed,service,3,7.0,7,7,7,7",
		"102,measurement,READ,ok,service,1,30.0,30,30,30,30",
		"102,measurement,READ,ok,response,1,40.0,40,40,40,40",
		"103,measurement,UPDATE,unknown,service,1,8.0,8,8,8,8",
		"",
	}, "\n")
	if out.String() != want {
		t.Errorf("wrote\n%swant\n%s", out.String(), want)
	}
}

func TestWhatWasMeasuredBeginsAfterTheWarmUp(t *testing.T) {
	r := loggedRun(t, "100 READ 10 1", "101 READ 10 2", "101 LAG 5 9", "103 READ 30 1", "103 READ-FAILED 7 3", "103 READ-UNKNOWN 7 2", "103 Intended-READ 9 3")
	m, err := readMeasured(r.files(), r.writer(), r.measuredFrom)
	if err != nil {
		t.Fatal(err)
	}
	if ok, failed := m.count("READ", ""), m.count("READ", anyFailure); ok != 3 || failed != 5 || len(m.histograms) != 3 {
		t.Errorf("%d ok, %d failed in %v", ok, failed, m.histograms)
	}
}

// What was intended in the moment after a second is told before what was intended in it.
func TestALoadHasAllSecondsOfItsLog(t *testing.T) {
	r := loggedRun(t, "102 INSERT 10 1", "101 INSERT 10 2", "102 INSERT 10 4")
	m, err := readMeasured(r.files(), r.writer(), 0)
	if err != nil || m.count("INSERT", "") != 7 {
		t.Errorf("%d of 7, %v", m.count("INSERT", ""), err)
	}
}
