// Package live says where a measurement stands, from the ends of the files that its pods are writing. It is pure: whoever asks gives
// it the ends, and then the time.
//
// It is a glance, and no figure of a report comes from it. So what is no line of a file is passed over, and what isn't known is left
// out. Every figure has its age, for a worker that sends nothing leaves the last one standing.
package live

import (
	"bytes"
	"math"
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

// View is what the files say, of which an answer can be made at any later time. It doesn't change.
type View struct {
	workload *Workload
	load     load
	ended    *ended
	topology *bundle.TopologyLine
}

// Of is the newest second of the workload, and what the observer saw last of the members. Without a workload, which is nil, it has
// the members alone. names are those of all files of the run, and of their end marks.
func Of(workload *Workload, names []string, read Reader) (*View, error) {
	of, view := filesOf(workload, names), &View{workload: workload}
	err := of.hear(read)
	if err != nil {
		return nil, err
	}
	if workload != nil {
		if view.load, err = loadOf(workload, of.bins, read); err != nil {
			return nil, err
		}
		if view.ended, err = endedOf(of.logs, workload.Workers, read); err != nil {
			return nil, err
		}
	}
	if view.topology, err = newestTopology(of.observers, read); err != nil {
		return nil, err
	}
	return view, nil
}

// At is the answer at that time, which decides how old all is.
func (v *View) At(now time.Time) (told wire.Live) {
	if v.workload != nil {
		told = v.load.at(v.workload, now)
	}
	if v.ended != nil {
		ended := v.ended.told
		ended.AgeMillis = ageMillis(now, time.Unix(v.ended.second+1, 0))
		told.Ended = &ended
	}
	if line := v.topology; line != nil && now.Sub(time.Unix(0, line.AtUnixNanos)) <= topologyAge {
		told.Term, told.Members, told.MembersAgeMillis = line.Term, membersOf(line), ageMillis(now, time.Unix(0, line.AtUnixNanos))
	}
	return told
}

// file is one of a worker. Nothing follows in one that is ended, but the other workers may go on.
type file struct {
	name  string
	ended bool
	self  string // the name of what the worker says of itself; "" where there is none
	heard int64  // until when it has said that it runs, in Unix nanoseconds; 0 is unknown
}

// files are those whose ends are read.
type files struct {
	bins, logs []file // of the workload's workers
	observers  []string
}

func filesOf(workload *Workload, names []string) (of files) {
	all := make(map[string]bool, len(names))
	for _, name := range names {
		all[name] = true
	}
	for _, name := range names {
		w, kind, ok := bundle.ParseFile(name)
		found := file{name: name, ended: all[bundle.EndFile(name)]}
		if self := w.File(bundle.Jsonl); all[self] {
			found.self = self
		}
		ofWorker := ok && workload != nil && w.Role == bundle.RoleWorker && w.Workload == workload.Name
		switch {
		case ofWorker && kind == bundle.Bins:
			of.bins = append(of.bins, found)
		case ofWorker && kind == bundle.Hlog:
			of.logs = append(of.logs, found)
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

// newestOf is the newest second of which all workers have sent all. A worker that has ended does nothing more, so it doesn't hold back
// those that go on; when all have ended, it is the last one of them all.
type newestOf struct {
	running, ended int64
	goesOn         bool // a worker
}

func newNewest() newestOf { return newestOf{running: math.MaxInt64, ended: -1} }

func (n *newestOf) add(second int64, ended bool) {
	if ended {
		n.ended = max(n.ended, second)
		return
	}
	n.running, n.goesOn = min(n.running, second), true
}

func (n *newestOf) second() int64 {
	if n.goesOn {
		return n.running
	}
	return n.ended
}

// ageMillis is how long ago it was. A writer's clock may be some milliseconds ahead.
func ageMillis(now, at time.Time) int64 { return max(0, now.Sub(at).Milliseconds()) }
