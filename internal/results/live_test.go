package results

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/stores"
)

// rows are bins rows of so many whole seconds, 10 operations in each bin, and one bin of
// the second that follows.
func rows(from, seconds int64) []byte {
	var file []byte
	for index := from * binsPerSecond; index <= (from+seconds)*binsPerSecond; index++ {
		bin := bundle.NewBin(index)
		bin.Intended, bin.Completed, bin.FirstCompleteMicros, bin.LastCompleteMicros = 11, 10, 1, 2
		reads := bundle.NewSeriesBin(index, bundle.SeriesOf(stores.Read, 1))
		if index%binsPerSecond == 0 {
			reads.Failed = 1
		}
		file = bundle.AppendBins(file, []bundle.Bin{bin, reads})
	}
	return file
}

func TestTheLiveViewIsTheNewestSecondOfAllWorkers(t *testing.T) {
	header := bundle.AppendBinsHeader(nil, 1)
	for _, c := range []struct {
		what  string
		files [][]byte // of the workers of workload a, which warms up for 5 s
		want  wire.Live
	}{
		{what: "both have sent ten seconds", files: [][]byte{rows(0, 10), rows(0, 10)},
			want: wire.Live{Workload: "a", ElapsedSeconds: 4, Throughput: 2000, Errors: 2}},
		{what: "one is behind", files: [][]byte{rows(0, 10), rows(0, 3)},
			want: wire.Live{Workload: "a", ElapsedSeconds: -3, Throughput: 2000, Errors: 2}},
		{what: "a row is cut off", files: [][]byte{rows(0, 10), append(rows(0, 10), "1200,1"...)},
			want: wire.Live{Workload: "a", ElapsedSeconds: 4, Throughput: 2000, Errors: 2}},
		{what: "no rows but nonsense", files: [][]byte{rows(0, 10), bytes.Repeat([]byte("nonsense\n"), 100)},
			want: wire.Live{Workload: "a", ElapsedSeconds: -3}},
		{what: "one has sent nothing", files: [][]byte{rows(0, 10)},
			want: wire.Live{Workload: "a", ElapsedSeconds: -3}},
		{what: "long files", files: [][]byte{rows(0, 600), rows(0, 600)},
			want: wire.Live{Workload: "a", ElapsedSeconds: 594, Throughput: 2000, Errors: 2}},
	} {
		t.Run(c.what, func(t *testing.T) {
			clock := &hands{now: time.Unix(1_700_000_000, 0)}
			h := registered(t, func(config *Config) { config.Now = clock.Now })
			controller := h.as("controller")
			live, err := controller.Live(t.Context(), runUID)
			must(t, err)
			if live != (wire.Live{}) {
				t.Errorf("before the start: %+v", live)
			}
			_, err = controller.StartIn(t.Context(), runUID, "a", time.Second)
			must(t, err)
			clock.add(3 * time.Second)
			for i, file := range c.files {
				w := bundle.Writer{Role: bundle.RoleWorker, Workload: "a", Index: i, PodUID: podUID}
				sendAll(t, controller, w.File(bundle.Bins), append(bytes.Clone(header), file...))
			}
			live, err = h.as("reader").Live(t.Context(), runUID)
			must(t, err)
			if live != c.want {
				t.Errorf("got %+v, want %+v", live, c.want)
			}
		})
	}
}

func sendAll(t *testing.T, c *client.Client, name string, content []byte) {
	t.Helper()
	for offset := 0; offset < len(content); {
		length, err := c.Append(context.Background(), runUID, name, int64(offset), content[offset:min(len(content), offset+1<<20)])
		must(t, err)
		offset = int(length)
	}
}
