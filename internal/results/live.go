package results

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/wire"
)

const (
	// liveTail is how much of each worker's bins a live view reads: some seconds.
	liveTail      = 128 << 10
	binsPerSecond = 1000 / bundle.BinMillis
)

// live is the newest second of the workload that was started last; no figure of a report
// comes from it. Without a start it is empty.
func (r *run) live() (wire.Live, error) {
	r.mu.Lock()
	workload, start := newestStart(r.starts)
	r.mu.Unlock()
	if workload == "" {
		return wire.Live{}, nil
	}
	entries, err := os.ReadDir(r.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return wire.Live{}, refuse(wire.ReasonNotFound, "the run %s is no longer kept", r.uid)
	}
	if err != nil {
		return wire.Live{}, err
	}
	var tails [][]liveBin
	for _, entry := range entries {
		w, kind, ok := bundle.ParseFile(entry.Name())
		if !ok || kind != bundle.Bins || w.Role != bundle.RoleWorker || w.Workload != workload {
			continue
		}
		tail, err := readTail(r.path(entry.Name()))
		if err != nil {
			return wire.Live{}, err
		}
		tails = append(tails, parseTail(tail))
	}
	facts := r.workloads[workload]
	second, live := newestSecond(tails, facts.workers)
	if second < 0 {
		second = floorSeconds(r.now().Sub(time.Unix(0, start.StartUnixNanos)))
	}
	live.Workload = workload
	live.ElapsedSeconds = second - facts.warmupMillis/1000
	return live, nil
}

func newestStart(starts map[string]bundle.Start) (workload string, newest bundle.Start) {
	for name, start := range starts {
		if workload == "" || start.StartUnixNanos > newest.StartUnixNanos {
			workload, newest = name, start
		}
	}
	return workload, newest
}

// readTail reads the end of a file, from the begin of a line.
func readTail(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, info.Size()-liveTail)
	tail, err := io.ReadAll(io.NewSectionReader(file, from, info.Size()-from))
	if err != nil || from == 0 {
		return tail, err
	}
	_, tail, _ = bytes.Cut(tail, []byte("\n"))
	return tail, nil
}

// liveBin is what a glance needs of a bin.
type liveBin struct{ index, completed, errors int64 }

// parseTail reads the whole lines; what is no row (the header, or a hostile writer's
// line) is passed over, since nothing but a glance depends on it.
func parseTail(tail []byte) []liveBin {
	var bins []liveBin
	var scratch bundle.Bin
	for line := range bytes.Lines(tail) {
		row, whole := bytes.CutSuffix(line, []byte("\n"))
		if !whole {
			continue
		}
		var bin liveBin
		err := bundle.ReadRow(row, &scratch, func(b *bundle.Bin) error {
			bin.index = b.Index
			bin.completed += b.Completed
			bin.errors += b.Failed + b.Unknown
			return nil
		})
		if err == nil {
			bins = append(bins, bin)
		}
	}
	return bins
}

// newestSecond adds up the newest second that every worker has written wholly; a worker
// that has rows of a second has written the ones before it. second is -1 when there is none.
func newestSecond(tails [][]liveBin, workers int) (second int64, live wire.Live) {
	if len(tails) < workers {
		return -1, wire.Live{}
	}
	for i, tail := range tails {
		newest := int64(-1)
		for _, bin := range tail {
			newest = max(newest, bin.index/binsPerSecond-1)
		}
		if i == 0 || newest < second {
			second = newest
		}
	}
	for _, tail := range tails {
		for _, bin := range tail {
			if bin.index/binsPerSecond == second {
				live.Throughput += bin.completed
				live.Errors += bin.errors
			}
		}
	}
	return second, live
}

func floorSeconds(d time.Duration) int64 {
	seconds := int64(d / time.Second)
	if d < 0 && d%time.Second != 0 {
		seconds--
	}
	return seconds
}
