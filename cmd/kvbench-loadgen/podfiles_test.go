package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/workload"
)

const (
	fiveRequests = "0,READ,a,\n0.5,READ,b,\n1,READ,c,\n1.5,UPDATE,d,7\n2,READ,e,\n"
	twoLengths   = "BlockSize\t10\n0\t5\n1\t7\n"
)

// withFiles is a workload that replays a trace and has a histogram, as the plan has them.
func withFiles(contents map[string]string) func(*plan.Plan) {
	return func(p *plan.Plan) {
		for name, content := range contents {
			configMap, key, _ := strings.Cut(name, "_")
			sum := sha256.Sum256([]byte(content))
			p.Files = append(p.Files, plan.File{Name: name, ConfigMap: configMap, Key: key, SHA256: hex.EncodeToString(sum[:])})
		}
		w := &p.Workloads[0]
		w.Properties = map[string]string{workload.LengthDistributionProperty: workload.Histogram, workload.LengthHistogramProperty: "m_lengths"}
		w.Load.WarmupMillis = 1000
		w.Load.Trace = &plan.Trace{File: "m_day.csv", Rows: 5, Stretch: 2}
	}
}

func folderOf(t *testing.T, contents map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range contents {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestAPodHasItsShareOfTheTrace(t *testing.T) {
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	if _, err := writer.Write([]byte(fiveRequests)); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"as it is": fiveRequests, "compressed": packed.String()} {
		files := map[string]string{"m_day.csv": content, "m_lengths": twoLengths}
		for index, want := range []string{"ace", "bd"} {
			flags := workloadFlags{workload: "a", index: index, files: folderOf(t, files)}
			flags.plan = writePlan(t, withFiles(files))
			job, err := flags.job()
			if err != nil {
				t.Fatal(err)
			}
			if spec, err := workload.Parse(job.Workload.Properties, job.Source); err != nil || spec.FieldLength != 20 {
				t.Errorf("%s: the fields are %+v, %v", name, spec, err)
			}
			share, err := flags.trace(job)
			if err != nil {
				t.Fatal(err)
			}
			var keys string
			for i := range share.Len() {
				keys += string(share.Request(i).Key)
			}
			// Times are doubled: one of five requests is due in the first second.
			if whole := share.Summary(); keys != want || whole.Measured != 4 || whole.Largest != 7 {
				t.Errorf("%s: worker %d replays %q of %+v, want %q", name, index, keys, whole, want)
			}
		}
	}
}

func TestAPodTakesNoOtherFileThanThePlans(t *testing.T) {
	admitted := map[string]string{"m_day.csv": fiveRequests, "m_lengths": twoLengths}
	for name, c := range map[string]struct {
		found map[string]string
		plan  func(*plan.Plan)
		want  string
	}{
		"no trace":          {map[string]string{"m_lengths": twoLengths}, withFiles(admitted), "read key day.csv of ConfigMap m, as it was kept for the run"},
		"another trace":     {map[string]string{"m_lengths": twoLengths, "m_day.csv": fiveRequests + "3,READ,f,\n"}, withFiles(admitted), "key day.csv of ConfigMap m isn't kept as the run was admitted with it"},
		"no histogram":      {map[string]string{"m_day.csv": fiveRequests}, withFiles(admitted), "read key lengths of ConfigMap m"},
		"another histogram": {map[string]string{"m_lengths": twoLengths + "2\t1\n", "m_day.csv": fiveRequests}, withFiles(admitted), "key lengths of ConfigMap m isn't kept"},
		"a plan without it": {admitted, func(p *plan.Plan) { withFiles(admitted)(p); p.Files = nil }, `the plan has no file "m_lengths"`},
	} {
		flags := workloadFlags{workload: "a", files: folderOf(t, c.found)}
		flags.plan = writePlan(t, c.plan)
		job, err := flags.job()
		if err == nil {
			_, err = flags.trace(job)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
