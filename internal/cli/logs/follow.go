package logs

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiwatch "k8s.io/apimachinery/pkg/watch"
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
)

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
	lines  chan Line
	ends   chan ended
	events chan event
	looks  chan looked

	readers    sync.WaitGroup
	watched    []subject // whose events are watched
	stopEvents context.CancelFunc
	silent     bool // the API server doesn't answer, and that has been said
	ending     bool // nothing more can come but what is on its way
}

// follow prints what is new until nothing more can come.
func (v *view) follow(ctx context.Context) error {
	f := &follower{view: v, window: window{hold: holdLines, most: mostLines, mostBytes: mostBytes}, lines: make(chan Line), ends: make(chan ended),
		events: make(chan event), looks: make(chan looked), stopEvents: func() {}}
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
		case line := <-f.lines:
			if err := f.add(line); err != nil {
				return err
			}
		case e := <-f.events:
			if f.seen[e.key] {
				continue
			}
			f.seen[e.key] = true
			if err := f.add(e.line); err != nil {
				return err
			}
		case end := <-f.ends:
			f.close(end)
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

// lookAround asks the cluster again and again.
func (f *follower) lookAround(ctx context.Context) {
	tick := time.NewTicker(f.every)
	defer tick.Stop()
	for {
		s, err := f.look(ctx)
		if !send(ctx, f.looks, looked{s, err}) {
			return
		}
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
	f.subject(ctx, l.state.subjects)
	over = l.state.over
	for _, c := range l.state.containers {
		// A store that is kept after its run goes on, and nobody waits for its end.
		if f.read(ctx, c) && c.Like.Role != Controller && !c.Running {
			over = false
		}
	}
	return over, nil
}

// subject notes whose lines are wanted. The events are watched anew where that has changed.
func (f *follower) subject(ctx context.Context, now []subject) {
	f.subjects.Store(&now)
	if !f.wanted[Event] || f.noEvents || f.watched != nil && slices.Equal(f.watched, now) {
		return
	}
	f.stopEvents()
	watching, stop := context.WithCancel(ctx)
	f.watched, f.stopEvents = now, stop
	f.readers.Go(func() { f.watchEvents(watching, now) })
}

// read starts to read a log unless that is done or under way. It says whether more may come of it.
func (f *follower) read(ctx context.Context, c container) (more bool) {
	stream := f.stream(ctx, c, c.Running)
	l := f.lives[c.Key]
	if l.done || l.reading {
		return l.reading
	}
	if !l.old {
		stream.span = span{tail: -1} // what came while following is wanted whole
	}
	l.reading = true
	f.readers.Go(func() {
		for {
			line, err := stream.Next()
			if err != nil {
				send(ctx, f.ends, ended{c, err})
				return
			}
			if !send(ctx, f.lines, line) {
				return
			}
		}
	})
	return true
}

// close notes the end of a stream. The log of a container that ran then is opened again at the next look: either the stream
// broke, or the container has ended and may have said more.
func (f *follower) close(end ended) {
	l := f.lives[end.container.Key]
	l.reading = false
	whole := errors.Is(end.err, io.EOF)
	if !whole && !errors.Is(end.err, context.Canceled) && !l.position.Started() {
		f.unreadable(end.container, end.err)
	}
	if !end.container.Running {
		l.failures++
		l.done = whole || apierrors.IsNotFound(end.err) || apierrors.IsBadRequest(end.err) || l.failures == mostFailures
	}
}

// watchEvents sends the events about the subjects, first those that there are.
func (f *follower) watchEvents(ctx context.Context, subjects []subject) {
	for ctx.Err() == nil {
		f.watchOnce(ctx, subjects)
		select {
		case <-ctx.Done():
		case <-time.After(f.every):
		}
	}
}

// watchOnce ends where the API server ends the watch, as it does after some minutes. Without a version it begins with all that
// there is, so nothing is lost in between.
func (f *follower) watchOnce(ctx context.Context, subjects []subject) {
	watch, err := f.cluster.Clients.CoreV1().Events(f.entry.Namespace).Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return // looking around tells of a cluster that doesn't answer
	}
	defer watch.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case change, more := <-watch.ResultChan():
			if !more {
				return
			}
			e, is := change.Object.(*corev1.Event)
			if !is || change.Type == apiwatch.Deleted {
				continue
			}
			if line, about := ofEvent(e, subjects); about && f.pods.takes(line) && !send(ctx, f.events, event{line, eventKey(e)}) {
				return
			}
		}
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
