package live

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/wire"
)

const (
	binsPerSecond = 1000 / bundle.BinMillis
	// allBins bounds what is read of the bins of all workers together, in bytes, unless that were less than leastBins of each: some
	// seconds. mostBins of one worker are a minute and more.
	allBins, leastBins, mostBins = 8 << 20, 128 << 10, 2 << 20
	// firstBins is what is read at first of one worker, in bytes. It is doubled until it has keptSeconds.
	firstBins = 512 << 10
	// keptSeconds is for how many seconds the counts of a worker are added up. It is more than wire.RecentSeconds, for workers
	// don't send at the same time.
	keptSeconds = 2 * wire.RecentSeconds
)

// load is the newest second of a workload, from its start, with its figures and those of the seconds before it. It is negative where
// there is none.
type load struct {
	newest int64
	told   wire.Live
}

func loadOf(workload *Workload, bins []file, read Reader) (load, error) {
	most := min(max(allBins/int64(workload.Workers), leastBins), mostBins)
	workers := make([]workerSeconds, 0, len(bins))
	for _, file := range bins {
		of, err := readSeconds(file.name, most, read)
		if err != nil {
			return load{}, err
		}
		of.ended, of.quiet = file.ended, file.quiet(workload.Start.UnixNano())
		workers = append(workers, of)
	}
	newest, told := addUp(workers, workload.Workers)
	return load{newest, told}, nil
}

func (l load) at(workload *Workload, now time.Time) wire.Live {
	told, newest := l.told, l.newest
	if newest < 0 { // there is no figure, so the clock alone says how far it is
		newest = int64(math.Floor(now.Sub(workload.Start).Seconds()))
	} else {
		told.AgeMillis = ageMillis(now, workload.Start.Add(time.Duration(newest+1)*time.Second))
	}
	told.Workload = workload.Name
	told.ElapsedSeconds = newest - workload.WarmupMillis/1000
	return told
}

// workerSeconds are the last seconds of one worker. cut says that it has others before them.
type workerSeconds struct {
	all        []second
	cut, ended bool
	quiet      int64 // that of file
}

// written is the last second that the worker's rows tell wholly: one that has rows of a second has written the ones before it. It is
// -1 where there is none.
func (w workerSeconds) written() int64 {
	if len(w.all) == 0 {
		return -1
	}
	return w.all[len(w.all)-1].at - 1
}

// newest is the last second of which all rows have come, if it had any.
func (w workerSeconds) newest() int64 {
	if len(w.all) == 0 && w.cut {
		return -1
	}
	return max(w.written(), w.quiet)
}

// silent says that the worker did nothing: it has ended, and has no rows.
func (w workerSeconds) silent() bool { return w.ended && len(w.all) == 0 && !w.cut }

// readSeconds reads no more of the file than it takes, and at most so many bytes.
func readSeconds(name string, most int64, read Reader) (of workerSeconds, err error) {
	for step := min(firstBins, most); ; step = min(2*step, most) {
		tail, err := read(name, step)
		if err != nil {
			return workerSeconds{}, err
		}
		of = workerSeconds{all: secondsOf(tail), cut: tail.Cut, quiet: -1}
		// One second fewer is told where the tail is cut, and the last one is still being written.
		enough := len(of.all) > 0 && of.written()-of.all[0].at >= keptSeconds-3
		if enough || !tail.Cut || step >= most {
			return of, nil
		}
	}
}

// second is what a glance needs of the rows of one worker in it. Seconds count from the workload's start.
type second struct{ at, intended, completed, errors int64 }

// busy says that operations were intended in the second, or ended in it. A second has other rows too, for operations of its own
// that ended much later.
func (s second) busy() bool { return s.intended > 0 || s.completed > 0 }

// secondsOf adds up a worker's rows by seconds, and returns the last keptSeconds of them that have rows, in their order. It leaves out
// those that have rows before the tail.
func secondsOf(tail Tail) []second {
	var kept [keptSeconds]second // each at its number modulo keptSeconds
	for i := range kept {
		kept[i].at = -1
	}
	newest := int64(-1)
	var scratch bundle.Bin
	wholeLines(tail.Text, func(line []byte) {
		var row second
		err := bundle.ReadRow(line, &scratch, func(b *bundle.Bin) error {
			row.at = b.Index / binsPerSecond
			row.intended += b.Intended
			row.completed += b.Completed
			row.errors += b.Failed + b.Unknown
			return nil
		})
		sums := &kept[row.at%keptSeconds]
		if err != nil || row.at < sums.at {
			return
		}
		if row.at > sums.at {
			*sums = second{at: row.at}
		}
		sums.intended += row.intended
		sums.completed += row.completed
		sums.errors += row.errors
		newest = max(newest, row.at)
	})
	all := slices.DeleteFunc(kept[:], func(s second) bool { return s.at < 0 || s.at <= newest-keptSeconds })
	slices.SortFunc(all, func(a, b second) int { return cmp.Compare(a.at, b.at) })
	if tail.Cut {
		all = all[slices.IndexFunc(all, second.busy)+1:]
	}
	return slices.Clone(all)
}

// addUp adds up the newest second that every worker has written wholly, or has ended before. Recent begins with the first second in
// which all of them are known to have been at work. newest is -1 when there is none.
func addUp(workers []workerSeconds, number int) (newest int64, told wire.Live) {
	if len(workers) < number {
		return -1, wire.Live{}
	}
	common, first := newNewest(), int64(0)
	for _, w := range workers {
		// Of one that has ended nothing is known where no whole second was read, but it had some.
		common.add(w.newest(), w.ended && (len(w.all) > 0 || w.silent()))
		if busy := slices.IndexFunc(w.all, second.busy); busy >= 0 {
			first = max(first, w.all[busy].at)
		}
	}
	// A worker may have sent no second yet that the others have not.
	newest = common.second()
	if newest < first {
		return -1, wire.Live{}
	}
	first = max(first, newest+1-wire.RecentSeconds)
	told.Recent = make([]int64, newest+1-first)
	for _, w := range workers {
		for _, s := range w.all {
			if s.at >= first && s.at <= newest {
				told.Recent[s.at-first] += s.completed
				told.RecentErrors += s.errors
			}
			if s.at == newest {
				told.Intended += s.intended
				told.Throughput += s.completed
			}
		}
	}
	return newest, told
}
