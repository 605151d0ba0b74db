// Package follow reads the files of a run while they grow, and tells its seconds to a feed.
package follow

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"time"

	"github.com/kvbench/kvbench/internal/results/live/seconds"
	"github.com/kvbench/kvbench/internal/results/stream"
)

// Names of the events beside the seconds, which have none.
const (
	Started  = "started"  // a workload, whose seconds follow
	Reported = "reported" // the run has its report, and nothing follows
	Gone     = "gone"     // the run is no longer kept, and nothing follows
)

const (
	// MostSeconds bounds how far back the seconds go, and how many are kept: an hour.
	MostSeconds = 3600
	// pause is how long the files may have more before that is seen.
	pause = 200 * time.Millisecond
	// restFactor is how much longer than it worked a reading rests that has more to read. What it catches up with must not take the
	// processor from the run that is measured on the same machine.
	restFactor, longestRest = 3, 5 * time.Second
)

// Run is one whose files grow.
type Run interface {
	// Started are the workloads that were started, in their order.
	Started() []seconds.Workload
	// Names are those of its files and their end marks. It is fs.ErrNotExist when the run is no longer kept.
	Names() ([]string, error)
	Read(name string, offset int64, most int) ([]byte, error)
	Reported() bool
}

// follower is where the reading stands.
type follower struct {
	run     Run
	feed    *stream.Feed
	now     func() time.Time
	from    int64
	lastID  int64
	number  int // of the workload that is told
	course  *seconds.Course
	started seconds.Workload
}

// Follow tells what the run's files have until the run has its report, is gone, or ctx ends.
func Follow(ctx context.Context, run Run, feed *stream.Feed, now func() time.Time, log *slog.Logger) {
	f := &follower{run: run, feed: feed, now: now, from: now().Unix() - MostSeconds}
	// Pods write the files, and nobody else recovers here.
	defer func() {
		if cause := recover(); cause != nil {
			log.Error("the seconds of a run can't be told", "error", cause)
			feed.End()
		}
	}()
	if run.Reported() { // its figures are the report's
		f.end(Reported)
		return
	}
	for ctx.Err() == nil {
		began := time.Now()
		reported := run.Reported() // before the files are read, so that they are whole
		more, err := f.step()
		rest := pause
		switch {
		case errors.Is(err, fs.ErrNotExist):
			f.end(Gone)
			return
		case err != nil:
			log.Error("a run that is watched can't be read", "error", err)
			rest = 10 * pause
		case more:
			rest = min(longestRest, restFactor*time.Since(began))
		case reported:
			f.end(Reported)
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(rest):
		}
	}
}

func (f *follower) end(name string) {
	f.feed.Add(stream.Event{ID: max(f.lastID+1, f.now().Unix()*idsOfSecond), Name: name, Data: []byte("{}")})
	f.feed.End()
}

// step tells the seconds that have come since the last one.
func (f *follower) step() (more bool, err error) {
	names, err := f.run.Names()
	if err != nil {
		return false, err
	}
	started := f.run.Started()
	if f.course == nil {
		if f.number >= len(started) {
			return false, nil
		}
		f.started = started[f.number]
		f.course = seconds.New(f.started, f.from)
		if err := f.tellStart(); err != nil {
			return false, err
		}
	}
	told, more, err := f.course.Step(names, f.run.Read, f.now())
	if err != nil {
		return false, err
	}
	// The workers of one may end without an end mark. Then the next one has begun.
	over := !more && (f.course.Over() || f.number+1 < len(started))
	if over {
		told = append(told, f.course.Rest()...)
	}
	if err := f.tell(told); err != nil {
		return false, err
	}
	if over {
		f.course, f.number = nil, f.number+1
		return f.number < len(started), nil
	}
	return more, nil
}

func (f *follower) tell(told []seconds.Second) error {
	events := make([]stream.Event, len(told))
	for i := range told {
		document, err := json.Marshal(&told[i])
		if err != nil {
			return err
		}
		f.lastID = max(f.lastID+1, told[i].UnixSeconds*idsOfSecond)
		events[i] = stream.Event{ID: f.lastID, Data: document}
	}
	f.feed.Add(events...)
	return nil
}

// idsOfSecond leaves room for the other events between two seconds, whose IDs follow from their times: those of a server that has begun
// anew are the same.
const idsOfSecond = 10

// Start is what is told of a workload before its seconds.
type Start struct {
	Workload string `json:"workload"`
	Workers  int    `json:"workers"`
	// StartUnixNanos is the begin of the warm-up.
	StartUnixNanos int64 `json:"startUnixNanos"`
	WarmupMillis   int64 `json:"warmupMillis"`
	// FromUnixSeconds is the first second that is told.
	FromUnixSeconds int64 `json:"fromUnixSeconds"`
}

func (f *follower) tellStart() error {
	of := &f.started
	document, err := json.Marshal(Start{Workload: of.Name, Workers: of.Workers, StartUnixNanos: of.Start.UnixNano(), WarmupMillis: of.WarmupMillis,
		FromUnixSeconds: max(f.from, of.Start.Unix())})
	if err != nil {
		return err
	}
	f.lastID = max(f.lastID+1, of.Start.Unix()*idsOfSecond-1)
	f.feed.Add(stream.Event{ID: f.lastID, Name: Started, Data: document})
	return nil
}
