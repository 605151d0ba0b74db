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
	// keptSeconds is for how many seconds the counts of a worker are added up. It is more than wire.RecentSeconds, for workers
	// don't send at the same time.
	keptSeconds = 2 * wire.RecentSeconds
)

// loadOf is the newest second of the workload, and those before it.
func loadOf(workload *Workload, names []string, now time.Time, read Reader) (told wire.Live, err error) {
	most := min(max(allBins/int64(workload.Workers), leastBins), mostBins)
	workers := make([][]second, 0, len(names))
	for _, name := range names {
		tail, err := read(name, most)
		if err != nil {
			return wire.Live{}, err
		}
		workers = append(workers, secondsOf(tail))
	}
	newest, told := addUp(workers, workload.Workers)
	if newest < 0 { // there is no figure, so the clock alone says how far it is
		newest = int64(math.Floor(now.Sub(workload.Start).Seconds()))
	} else {
		told.AgeMillis = ageMillis(now, workload.Start.Add(time.Duration(newest+1)*time.Second))
	}
	told.Workload = workload.Name
	told.ElapsedSeconds = newest - workload.WarmupMillis/1000
	return told, nil
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

// addUp adds up the newest second that every worker has written wholly; a worker that has rows of a second has written the ones
// before it. Recent begins with the first second in which all of them are known to have been at work. newest is -1 when there is
// none.
func addUp(workers [][]second, number int) (newest int64, told wire.Live) {
	if len(workers) < number {
		return -1, wire.Live{}
	}
	newest = math.MaxInt64
	first := int64(0)
	for _, seconds := range workers {
		whole := int64(-1)
		if len(seconds) > 0 {
			whole = seconds[len(seconds)-1].at - 1
		}
		newest = min(newest, whole)
		if busy := slices.IndexFunc(seconds, second.busy); busy >= 0 {
			first = max(first, seconds[busy].at)
		}
	}
	// A worker may have sent no second yet that the others have not.
	if newest < first {
		return -1, wire.Live{}
	}
	first = max(first, newest+1-wire.RecentSeconds)
	told.Recent = make([]int64, newest+1-first)
	for _, seconds := range workers {
		for _, s := range seconds {
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
