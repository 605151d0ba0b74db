package logs

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kvbench/kvbench/internal/cli/inventory"
)

const (
	// lookEvery is how often new pods are looked for, and broken streams opened anew.
	lookEvery = time.Second
	// holdLines is how long a line waits for earlier ones of other pods.
	holdLines = 400 * time.Millisecond
	// mostLines and mostBytes bound how many wait.
	mostLines = 5000
	mostBytes = 16 << 20
	// mostFailures bounds how often the log of a container that has ended is asked for.
	mostFailures = 5
	// mostSilent bounds how many looks in a row, once all is over, a log may say nothing and still be waited for. The stream of a
	// node that is dead has no end.
	mostSilent = 10
)

// heard is a line, and the life that it is of.
type heard struct {
	life *life
	line Line
}

// ended says that a stream did, and why.
type ended struct {
	container container
	err       error
}

// looked is an answer of the cluster, or why there is none.
type looked struct {
	state state
	err   error
}

// follower follows a view. Its goroutines read; the state is the one's that calls run.
type follower struct {
	*view
	window window
	lines  chan heard
	ends   chan ended
	events chan event
	looks  chan looked
	// refused tells that the user may not watch the events.
	refused chan error

	missed     missed
	readers    sync.WaitGroup
	watched    []subject // whose events are watched
	stopEvents context.CancelFunc
	silent     bool // the API server doesn't answer, and that has been said
	ending     bool // nothing more can come but what is on its way
}

// follow prints what is new until nothing more can come.
func (v *view) follow(ctx context.Context) error {
	f := &follower{view: v, window: window{hold: holdLines, most: mostLines, mostBytes: mostBytes}, lines: make(chan heard), ends: make(chan ended),
		events: make(chan event), looks: make(chan looked), refused: make(chan error), stopEvents: func() {}}
	for _, l := range v.lives {
		l.old = true
	}
	ctx, cancel := context.WithCancel(ctx)
	defer f.readers.Wait()
	defer cancel() // before that
	f.readers.Go(func() { f.lookAround(ctx) })
	err := f.run(ctx)
	return errors.Join(err, f.print(time.Now().Add(holdLines)))
}

// run handles one thing after the other.
func (f *follower) run(ctx context.Context) error {
	tick := time.NewTicker(holdLines / 2)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case h := <-f.lines:
			h.life.silent, h.life.unread = 0, false
			if err := f.take(h.line); err != nil {
				return err
			}
		case e := <-f.events:
			if f.seen[e.key] {
				continue
			}
			f.seen[e.key], f.ending = true, false // others may be on their way
			if err := f.add(e.line); err != nil {
				return err
			}
		case end := <-f.ends:
			f.close(end)
		case err := <-f.refused:
			f.noEvents = true
			f.complain("New events are left out: %v", err)
		case now := <-tick.C:
			if err := f.print(now); err != nil {
				return err
			}
		case l := <-f.looks:
			over, err := f.handle(ctx, l)
			if err != nil || over && f.ending {
				return err
			}
			f.ending = over // what was on its way comes before the next look
		}
	}
}

// take takes a line of a log. Those of a suite's controller are all of them.
func (f *follower) take(line Line) error {
	if line.Role == Controller {
		about, is := of(line, *f.subjects.Load())
		if !is {
			f.missed.Add(line)
			return nil
		}
		line = about
	}
	return f.add(line)
}

// add holds a line, and prints those that there is no more room for.
func (f *follower) add(line Line) error {
	now := time.Now()
	f.window.Add(line, now)
	return f.print(now)
}

func (f *follower) print(now time.Time) error {
	for _, line := range f.window.Due(now) {
		if err := f.printer.print(line); err != nil {
			return err
		}
	}
	return nil
}

// lookAround asks the cluster again and again. However long an answer waits to be taken, the next look comes a while after that.
func (f *follower) lookAround(ctx context.Context) {
	tick := time.NewTicker(f.every)
	defer tick.Stop()
	for {
		s, err := f.look(ctx)
		if !send(ctx, f.looks, looked{s, err}) {
			return
		}
		tick.Reset(f.every)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// handle starts to read what is new, and says whether nothing more can come.
func (f *follower) handle(ctx context.Context, l looked) (over bool, err error) {
	if l.err != nil {
		if apierrors.IsForbidden(l.err) || apierrors.IsUnauthorized(l.err) {
			return false, l.err
		}
		if !f.silent && ctx.Err() == nil {
			f.complain("The cluster doesn't answer, and is asked again: %v", l.err)
		}
		f.silent = true
		return false, nil
	}
	f.silent = false
	if err := f.subject(ctx, l.state.subjects); err != nil {
		return false, err
	}
	kept := map[string]bool{}
	for _, c := range l.state.containers {
		f.read(ctx, c)
		kept[c.Key] = c.Kept
	}
	return l.state.over && !f.waits(kept), nil
}

// waits says, when all is over, whether some log is still being read. That of a pod that is gone counts too, for its last lines may
// be on their way. A store that is kept after its run goes on, as the controller does, and nobody waits for its end.
func (f *follower) waits(kept map[string]bool) (some bool) {
	for key, l := range f.lives {
		if !l.reading || kept[key] || l.container.Like.Role == Controller {
			continue
		}
		switch l.silent++; {
		case l.silent < mostSilent:
			some = true
		case l.silent == mostSilent:
			f.complain("The log of %s (pod %s) has no end, and is no longer waited for: its last lines may be missing", l.container.Like.Source, l.container.Pod)
		}
	}
	return some
}

// subject notes whose lines are wanted. Where that has changed, the events are watched anew, and what the controller has said already
// about a new one is shown.
func (f *follower) subject(ctx context.Context, now []subject) error {
	if before := f.subjects.Swap(&now); before == nil || !slices.Equal(*before, now) {
		for _, line := range f.missed.Take(now) {
			if err := f.add(line); err != nil {
				return err
			}
		}
	}
	if !f.wanted[Event] || f.noEvents || f.watched != nil && slices.Equal(f.watched, now) {
		return nil
	}
	f.stopEvents()
	watching, stop := context.WithCancel(ctx)
	f.watched, f.stopEvents = now, stop
	f.readers.Go(func() { f.watchEvents(watching, now) })
	return nil
}

// read starts to read a log unless that is done or under way.
func (f *follower) read(ctx context.Context, c container) {
	stream := f.stream(ctx, c, c.Running)
	l := f.lives[c.Key]
	if l.done || l.reading {
		return
	}
	if !l.old {
		stream.span = span{tail: -1} // what came while following is wanted whole
	}
	if f.entry.Kind == inventory.Suite {
		stream.keep = nil // the runs that it will have aren't known yet
	}
	l.reading, l.silent = true, 0
	f.readers.Go(func() {
		for {
			line, err := stream.Next()
			if err != nil {
				send(ctx, f.ends, ended{c, err})
				return
			}
			if !send(ctx, f.lines, heard{l, line}) {
				return
			}
		}
	})
}

// close notes the end of a stream. The log of a container that ran then is opened again at the next look: either the stream
// broke, or the container has ended and may have said more.
func (f *follower) close(end ended) {
	l := f.lives[end.container.Key]
	l.reading = false
	whole := errors.Is(end.err, io.EOF)
	if !whole && !errors.Is(end.err, context.Canceled) && !l.position.Started() {
		l.unread = f.unreadable(end.container, end.err)
	} else if whole {
		l.unread = false
	}
	if !end.container.Running {
		l.failures++
		l.done = whole || apierrors.IsNotFound(end.err) || apierrors.IsBadRequest(end.err) || l.failures == mostFailures
	}
}

// send is false where ctx ended first.
func send[T any](ctx context.Context, to chan<- T, value T) bool {
	select {
	case to <- value:
		return true
	case <-ctx.Done():
		return false
	}
}
