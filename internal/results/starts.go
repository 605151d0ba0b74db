package results

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// maxStartIn bounds how far ahead a start may lie: the workers hold connections and wait.
const maxStartIn = 10 * time.Minute

// start gives the workload's start, which the first request makes.
func (r *run) start(workload string, ask wire.StartRequest) (bundle.Start, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if made, ok := r.starts[workload]; ok {
		return made, nil
	}
	if err := r.open(); err != nil {
		return bundle.Start{}, err
	}
	made, err := resolveStart(ask, r.now())
	if err != nil {
		return bundle.Start{}, err
	}
	document, err := json.Marshal(made)
	if err != nil {
		return bundle.Start{}, err
	}
	err = r.failedSyncs.note(bundle.StartFile(workload), r.disk.createOnce(r.dir, bundle.StartFile(workload), document))
	if errors.Is(err, fs.ErrExist) {
		// An earlier attempt failed after the file was there: that start holds.
		if made, err = readJSON[bundle.Start](r.path(bundle.StartFile(workload))); err == nil {
			err = r.confirm(bundle.StartFile(workload))
		}
	}
	if err != nil {
		return bundle.Start{}, err
	}
	r.starts[workload] = made
	r.bytes += int64(len(document))
	r.touched = r.ages.now()
	r.wake()
	return made, nil
}

// resolveStart is the instant that was asked for.
func resolveStart(ask wire.StartRequest, now time.Time) (bundle.Start, error) {
	at := time.Unix(0, ask.StartUnixNanos)
	if ask.StartUnixNanos == 0 {
		at = now.Add(time.Duration(min(ask.InMillis, 1+maxStartIn.Milliseconds())) * time.Millisecond)
		// The next full second: then the interval log's seconds, which begin on the epoch's,
		// are the measurement's seconds too.
		if rest := at.UnixNano() % int64(time.Second); rest > 0 && ask.InMillis > 0 {
			at = at.Add(time.Second - time.Duration(rest))
		}
	}
	if in := at.Sub(now); in <= 0 || in > maxStartIn || (ask.StartUnixNanos != 0 && ask.InMillis != 0) {
		return bundle.Start{}, refuse(wire.ReasonInvalid,
			"a start is either startUnixNanos or inMillis, and at most %s ahead", maxStartIn)
	}
	return bundle.Start{StartUnixNanos: at.UnixNano()}, nil
}

// awaitStart waits for the workload's start until ctx ends or closing is closed; ok is
// false then.
func (r *run) awaitStart(ctx context.Context, closing <-chan struct{}, workload string) (made bundle.Start, ok bool, err error) {
	for {
		r.mu.Lock()
		made, ok = r.starts[workload]
		gone, changed := r.gone, r.started
		r.mu.Unlock()
		if ok {
			return made, true, nil
		}
		if gone {
			return made, false, refuse(wire.ReasonNotFound, "the run %s is no longer kept", r.uid)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return made, false, nil
		case <-closing:
			return made, false, nil
		}
	}
}

// wake lets all that wait look again. The caller holds mu.
func (r *run) wake() {
	close(r.started)
	r.started = make(chan struct{})
}
