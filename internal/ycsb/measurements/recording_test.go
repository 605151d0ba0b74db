package measurements

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/histogram"
)

// logged is a recording whose log has rows of these seconds, tags, values and counts. Its measurement begins
// with the second 101.
func logged(t *testing.T, rows ...string) *Recording {
	t.Helper()
	dir := t.TempDir()
	r := &Recording{Files: os.DirFS(dir), MeasuredFrom: 101}
	addWorker(t, r, dir, rows...)
	return r
}

// addWorker adds another worker's files to the recording's folder.
func addWorker(t *testing.T, r *Recording, dir string, rows ...string) {
	t.Helper()
	writer := bundle.Writer{Role: bundle.RoleWorker, Workload: "run", Index: len(r.Writers), PodUID: "uid"}
	r.Writers = append(r.Writers, writer)
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
	if err := os.WriteFile(filepath.Join(dir, writer.File(bundle.Hlog)), []byte(log), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, writer.File(bundle.Jsonl)), nil, 0o644); err != nil {
		t.Fatal(err)
	}
}
