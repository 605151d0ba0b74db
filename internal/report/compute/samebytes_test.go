package compute_test

import (
	"bytes"
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/compute"
	"github.com/kvbench/kvbench/internal/report/render"
	"github.com/kvbench/kvbench/internal/report/reporttest"
)

// backwards lists its files in the opposite order.
type backwards struct{ fstest.MapFS }

func (b backwards) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := b.MapFS.ReadDir(name)
	slices.Reverse(entries)
	return entries, err
}

func documents(t *testing.T, r *report.Report) map[string][]byte {
	t.Helper()
	document, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{bundle.ReportFile: document, bundle.MarkdownFile: render.Markdown(r), "the table": []byte(render.Table(r))}
}

func TestABundleGivesTheSameBytesInAnyOrderAndTimeZone(t *testing.T) {
	s := reporttest.NewSituation()
	s.Topology[3].Repair = "by the first observer"
	f := s.Build(t)
	later := bundletest.TopologyLine("m-2", 5, true)
	later.AtUnixNanos, later.Repair = s.Nanos(33*second), "by the second observer"
	f.Put(bundle.Writer{Role: bundle.RoleObserver, PodUID: bundletest.PodUID(901)}.File(bundle.Jsonl), bundletest.Line(later))

	first := documents(t, reporttest.Report(t, f))
	// A report that is stored beside the files that it was made of is none of them.
	f.Put(bundle.ReportFile, first[bundle.ReportFile])
	f.Put(bundle.MarkdownFile, first[bundle.MarkdownFile])
	local := time.Local
	time.Local = time.FixedZone("elsewhere", 5*3600+1800)
	defer func() { time.Local = local }()
	r, err := compute.FromBundle(backwards{fstest.MapFS(f)})
	if err != nil {
		t.Fatal(err)
	}
	for name, again := range documents(t, r) {
		if !bytes.Equal(first[name], again) {
			t.Errorf("%s differs in line %d in another order and time zone", name, 1+firstOtherLine(first[name], again))
		}
	}
}
