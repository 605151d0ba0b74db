package compute_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/kvbench/kvbench/internal/report/compute"
	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

// Each folder below testdata/golden has a bundle, and the report that was once made of it. A change of
// the program must not change the bytes of a report by accident.
func TestAStoredBundleGivesTheSameBytes(t *testing.T) {
	folders, err := filepath.Glob("testdata/golden/*")
	if err != nil || len(folders) == 0 {
		t.Fatal(folders, err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			r, err := compute.FromBundle(reporttest.Archive(t, filepath.Join(folder, "bundle.tar.gz")))
			if err != nil {
				t.Fatal(err)
			}
			document, err := r.JSON()
			if err != nil {
				t.Fatal(err)
			}
			for name, got := range map[string][]byte{"report.json": document, "report.md": render.Markdown(r), "report.txt": []byte(render.Table(r))} {
				want, err := os.ReadFile(filepath.Join(folder, name))
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%s differs in line %d", name, 1+firstOtherLine(got, want))
				}
			}
		})
	}
}

func firstOtherLine(a, b []byte) int {
	as, bs := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range min(len(as), len(bs)) {
		if !bytes.Equal(as[i], bs[i]) {
			return i
		}
	}
	return min(len(as), len(bs))
}
