package compute_test

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/compute"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

// Errors quote what they can't read. A pod writes lines of a quarter of a megabyte, a run
// has a thousand files, and the server that makes the report is everybody's.
func TestAReportDoesNotRepeatWhatItCannotRead(t *testing.T) {
	long := strings.Repeat("\x01", 200<<10)
	for name, text := range map[string]string{
		bundletest.WorkerOf(0).File(bundle.Hlog):  "Tag=" + long + ",5,1,0.1,x\n",
		bundletest.WorkerOf(0).File(bundle.Bins):  "#kvbench-bins 2 start=1800000000000000000\n5,1,0,0,0,0,0,-1,0,-1,-1," + strings.Repeat("x", 2000) + "\n",
		bundletest.WorkerOf(0).File(bundle.Jsonl): `{"atUnixNanos":1` + strings.Repeat("0", 60<<10) + "}\n",
		bundle.ClaimsFile:                         `{"index":1` + strings.Repeat("0", 60<<10) + "}\n",
		bundle.StartFile("a"):                     `{"startUnixNanos":` + strings.Repeat("9", 1<<20) + "}",
	} {
		b := reporttest.NewSituation().Build(t)
		b.Put(name, []byte(text))
		if _, _, ok := bundle.ParseFile(name); ok {
			b.End(name)
		}
		r, err := compute.FromBundle(b.FS())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(r.InvalidReasons) == 0 {
			t.Errorf("%s: nothing was found wrong", name)
		}
		for _, reason := range r.InvalidReasons {
			if len(reason.Message) > report.MaxReasonText {
				t.Errorf("%s: a reason of %d bytes: %.100q", name, len(reason.Message), reason.Message)
			}
		}
	}
}
