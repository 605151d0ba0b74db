package logs

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kvbench/kvbench/internal/cli/inventory"
	"github.com/kvbench/kvbench/internal/cli/kube"
	"github.com/kvbench/kvbench/internal/cli/printable"
)

// opensAtOnce bounds how many logs are opened at the same time.
const opensAtOnce = 8

// view is one look at the logs of a run or a suite.
type view struct {
	cluster  *kube.Cluster
	entry    *inventory.Entry
	open     opener
	wanted   wanted
	pods     pick
	previous bool
	span     span
	printer  *printer
	err      io.Writer
	every    time.Duration // between two looks while following

	subjects atomic.Pointer[[]subject]
	lives    map[string]*life // by container.Key
	seen     map[string]bool  // events, by their key
	// secret says that the user may not read the controller's log.
	secret atomic.Bool
	// noEvents says that the user may not read the events, noLogs that of the logs of the run's pods.
	noEvents, noLogs bool

	complaints sync.Mutex
}

// life is what has been read of one life of a container.
type life struct {
	container container
	position  Position
	old       bool // it was there before following began
	reading   bool
	done      bool
	told      bool // of a failure
	failures  int  // to read it after its end
	unread    bool // it can't be read, and should be there
	silent    int  // looks since its last line, after the end of what was asked for
}

// complain tells of what is left out, on one line. The text may be a server's.
func (v *view) complain(format string, args ...any) {
	text := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "; ")
	v.complaints.Lock()
	defer v.complaints.Unlock()
	fmt.Fprintln(v.err, printable.Line(text))
}

// state is what there is at one moment.
type state struct {
	subjects   []subject
	containers []container // of the run's pods, and of the controller
	over       bool        // nothing more can happen to what was asked for
}

// look asks the cluster. It leaves the controller out where the user may not read it, and says so once.
func (v *view) look(ctx context.Context) (s state, err error) {
	s.subjects, s.over, err = subjectsOf(ctx, v.cluster, v.entry)
	if err != nil {
		return s, err
	}
	if v.wanted.pods() {
		if s.containers, err = podsOf(ctx, v.cluster, s.subjects, v.wanted); err != nil {
			return s, err
		}
	}
	s.containers = slices.DeleteFunc(s.containers, func(c container) bool { return !v.pods.takes(c.Like) })
	if v.wanted[Controller] && len(v.pods) == 0 && !v.secret.Load() {
		controllers, err := controllersOf(ctx, v.cluster)
		switch {
		case apierrors.IsForbidden(err):
			v.withoutController(err)
		case err != nil:
			return s, kube.Explain(err)
		}
		s.containers = append(s.containers, controllers...)
	}
	if !v.previous {
		s.containers = slices.DeleteFunc(s.containers, func(c container) bool { return c.Previous })
	}
	return s, nil
}

func (v *view) withoutController(err error) {
	if v.secret.CompareAndSwap(false, true) {
		v.complain("The controller's log is left out, for only those who may read the pods of the namespace %s and their logs see it: %v", v.cluster.System, err)
	}
}

// count says how many logs of the run's pods there were, and how many could not be read.
func (v *view) count() (read, failed int) {
	for _, l := range v.lives {
		if l.container.Like.Role != Controller {
			read++
		}
		if l.unread {
			failed++
		}
	}
	return read, failed
}

// history prints what there is now.
func (v *view) history(ctx context.Context, s state) error {
	var streams []Stream
	var of []container // of each stream; the last one has the events
	for _, c := range s.containers {
		streams, of = append(streams, v.finite(ctx, c)), append(of, c)
		if c.Like.Role != Controller {
			v.printer.expect(c.Like)
		}
	}
	if v.wanted[Event] {
		lines, err := v.pastEvents(ctx, s.subjects)
		switch {
		case apierrors.IsForbidden(err):
			v.noEvents = true
			v.complain("The events are left out: %v", err)
		case err != nil:
			return err
		}
		for _, line := range lines {
			v.printer.expect(line)
		}
		streams = append(streams, &listed{lines})
	}
	var opening errgroup.Group
	opening.SetLimit(opensAtOnce)
	for i := range streams {
		first := &ahead{from: streams[i]}
		streams[i] = first
		opening.Go(func() error { first.fetch(); return nil })
	}
	if err := opening.Wait(); err != nil {
		return err
	}
	err := Merge(streams, func(line Line) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return v.printer.print(line)
	}, func(i int, err error) {
		if ctx.Err() == nil {
			v.lives[of[i].Key].unread = v.unreadable(of[i], err)
		}
	})
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// finite is the log of a container as far as it is written.
func (v *view) finite(ctx context.Context, c container) Stream {
	stream := v.stream(ctx, c, false)
	if c.Like.Role == Controller && v.span.tail >= 0 {
		return &lastOf{from: stream, n: v.span.tail} // of the lines about the run
	}
	return stream
}

func (v *view) stream(ctx context.Context, c container, follow bool) *logStream {
	l := v.lives[c.Key]
	if l == nil {
		l = &life{container: c}
		v.lives[c.Key] = l
	}
	s := &logStream{ctx: ctx, open: v.open, container: c, span: v.span, follow: follow, position: &l.position}
	if c.Like.Role == Controller {
		s.keep = func(line Line) (Line, bool) { return of(line, *v.subjects.Load()) }
		if v.span.tail != 0 { // the last lines are counted of those about the run; no lines are none of any
			s.span.tail = -1
		}
		if first := earliest(*v.subjects.Load()); first.After(s.span.since) {
			s.span.since = first
		}
	}
	return s
}

// unreadable tells of a log that can't be read, and says whether it is one that should be there.
func (v *view) unreadable(c container, err error) bool {
	switch {
	case c.Like.Role == Controller && apierrors.IsForbidden(err):
		v.withoutController(err)
		return false
	case c.Previous, apierrors.IsNotFound(err): // a kubelet removes what ended, and pods go
		return false
	case apierrors.IsForbidden(err):
		if !v.noLogs {
			v.noLogs = true
			v.complain("The logs of pods are left out: %v", kube.Explain(err))
		}
		return true
	}
	if l := v.lives[c.Key]; !l.told {
		l.told = true
		v.complain("The log of %s (pod %s) can't be read: %v", c.Like.Source, c.Pod, kube.Explain(err))
	}
	return true
}

// pastEvents are in order of time.
func (v *view) pastEvents(ctx context.Context, subjects []subject) (lines []Line, err error) {
	events, err := eventsOf(ctx, v.cluster, v.entry.Namespace, subjects)
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		v.seen[e.key] = true
		if v.pods.takes(e.line) && !e.line.Time.Before(v.span.since) {
			lines = append(lines, e.line)
		}
	}
	byTime(lines)
	if tail := v.span.tail; tail >= 0 && int64(len(lines)) > tail {
		lines = lines[int64(len(lines))-tail:]
	}
	return lines, nil
}

// sinceOf is the time that --since names; zero where it names none.
func sinceOf(since time.Duration, now time.Time) time.Time {
	if since == 0 {
		return time.Time{}
	}
	return now.Add(-since)
}
