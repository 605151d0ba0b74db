// Package live says where a measurement stands, from the ends of the files that its pods are writing. It is pure: whoever asks gives
// it the ends and the time.
//
// It is a glance, and no figure of a report comes from it. So what is no line of a file is passed over, and what isn't known is left
// out. Every figure has its age, for a worker that sends nothing leaves the last one standing.
package live

import (
	"bytes"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// Workload is the one that was started last.
type Workload struct {
	Name         string
	Workers      int
	WarmupMillis int64
	Start        time.Time // the begin of the warm-up
}

// Tail is the end of a file, from the begin of a line. Cut says that there is more before it.
type Tail struct {
	Text []byte
	Cut  bool
}

// Reader reads at most so many bytes of a file's end.
type Reader func(name string, most int64) (Tail, error)

// files are the names of those whose ends are read.
type files struct {
	bins, logs []string // of the workload's workers
	observers  []string
}

// Of is the newest second of the workload, and what the observer saw last of the members. Without a workload, which is nil, it has
// the members alone. names are those of all files of the run.
func Of(workload *Workload, names []string, now time.Time, read Reader) (told wire.Live, err error) {
	of := filesOf(workload, names)
	if workload != nil {
		if told, err = loadOf(workload, of.bins, now, read); err != nil {
			return wire.Live{}, err
		}
		if told.Ended, err = endedOf(of.logs, workload.Workers, now, read); err != nil {
			return wire.Live{}, err
		}
	}
	line, err := newestTopology(of.observers, now, read)
	if err != nil {
		return wire.Live{}, err
	}
	if line != nil {
		told.Term, told.Members, told.MembersAgeMillis = line.Term, membersOf(line), ageMillis(now, time.Unix(0, line.AtUnixNanos))
	}
	return told, nil
}

func filesOf(workload *Workload, names []string) (of files) {
	for _, name := range names {
		w, kind, ok := bundle.ParseFile(name)
		ofWorker := ok && workload != nil && w.Role == bundle.RoleWorker && w.Workload == workload.Name
		switch {
		case ofWorker && kind == bundle.Bins:
			of.bins = append(of.bins, name)
		case ofWorker && kind == bundle.Hlog:
			of.logs = append(of.logs, name)
		case ok && w.Role == bundle.RoleObserver:
			of.observers = append(of.observers, name)
		}
	}
	return of
}

// wholeLines calls each for every line that has its end, without it. A writer may be in the middle of the last one.
func wholeLines(tail []byte, each func(line []byte)) {
	for line := range bytes.Lines(tail) {
		if line, whole := bytes.CutSuffix(line, []byte("\n")); whole {
			each(line)
		}
	}
}

// ageMillis is how long ago it was. A writer's clock may be some milliseconds ahead.
func ageMillis(now, at time.Time) int64 { return max(0, now.Sub(at).Milliseconds()) }
