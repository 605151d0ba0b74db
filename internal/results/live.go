package results

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/live"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// live is where the workload that was started last stands, and what the observer saw last of the members.
func (r *run) live() (wire.Live, error) {
	r.mu.Lock()
	name, start := newestStart(r.starts)
	r.mu.Unlock()
	var workload *live.Workload
	if name != "" {
		of := r.workloads[name]
		workload = &live.Workload{Name: name, Workers: of.workers, WarmupMillis: of.warmupMillis, Start: time.Unix(0, start.StartUnixNanos)}
	}
	entries, err := os.ReadDir(r.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return wire.Live{}, refuse(wire.ReasonNotFound, "the run %s is no longer kept", r.uid)
	}
	if err != nil {
		return wire.Live{}, err
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return live.Of(workload, names, r.now(), func(name string, most int64) (live.Tail, error) { return readTail(r.path(name), most) })
}

func newestStart(starts map[string]bundle.Start) (workload string, newest bundle.Start) {
	for name, start := range starts {
		if workload == "" || start.StartUnixNanos > newest.StartUnixNanos {
			workload, newest = name, start
		}
	}
	return workload, newest
}

func readTail(path string, most int64) (live.Tail, error) {
	file, err := os.Open(path)
	if err != nil {
		return live.Tail{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return live.Tail{}, err
	}
	from := max(0, info.Size()-most)
	text := make([]byte, info.Size()-from)
	n, err := file.ReadAt(text, from)
	if err != nil && !errors.Is(err, io.EOF) { // the file may have been cut since
		return live.Tail{}, err
	}
	text = text[:n]
	if from == 0 {
		return live.Tail{Text: text}, nil
	}
	_, text, _ = bytes.Cut(text, []byte("\n"))
	return live.Tail{Text: text, Cut: true}, nil
}
