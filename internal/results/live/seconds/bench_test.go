package seconds_test

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/reporttest"
	"github.com/kvbench/kvbench/internal/results/live/seconds"
)

// BenchmarkSecond is what one second of a run costs whoever streams it, for so many workers with 500 operations/s each. A core has
// 1,000,000,000 ns of each second.
func BenchmarkSecond(b *testing.B) {
	for _, workers := range []int{1, 4, 16} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			const length = 120
			run := reporttest.NewLongRunOf(b, length, workers, false)
			observer := bundle.Writer{Role: bundle.RoleObserver, PodUID: bundletest.PodUID(900)}.File(bundle.Jsonl)
			names := []string{observer}
			for index := range workers {
				w := bundletest.WorkerOf(index)
				names = append(names, w.File(bundle.Hlog), w.File(bundle.Jsonl))
			}
			files := map[string][]byte{}
			for _, name := range names {
				content, err := fs.ReadFile(struct{ fs.FS }{run}, name)
				if err != nil {
					b.Fatal(err)
				}
				files[name], files[bundle.EndFile(name)] = content, nil
			}
			all := slices.Sorted(maps.Keys(files))
			told := 0
			for b.Loop() {
				course := seconds.New(seconds.Workload{Name: "a", Workers: workers, Start: time.Unix(run.Start, 0)}, 0)
				for more := true; more; {
					some, again, err := course.Step(all, func(name string, offset int64, most int) ([]byte, error) {
						text := files[name][min(int(offset), len(files[name])):]
						return text[:min(most, len(text))], nil
					}, time.Unix(1<<33, 0))
					if err != nil {
						b.Fatal(err)
					}
					told, more = told+len(some), again
				}
			}
			if told != length*b.N {
				b.Fatalf("told are %d seconds of %d", told, length*b.N)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(told), "ns/second")
		})
	}
}
