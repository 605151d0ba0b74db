package results

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/live"
	"github.com/kvbench/kvbench/internal/results/live/follow"
	"github.com/kvbench/kvbench/internal/results/live/seconds"
	"github.com/kvbench/kvbench/internal/results/stream"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// glanceFor is for how long what the files said is told again. Whoever watches asks once a second, and pods send about as often.
const glanceFor = 900 * time.Millisecond

// glance is what the files of a run said last. All who look at the run share it, so that many cost as much as one.
type glance struct {
	flight singleflight.Group
	mu     sync.Mutex
	view   *live.View
	from   time.Time // when the files were looked at
}

func (g *glance) kept(now time.Time) *live.View {
	g.mu.Lock()
	defer g.mu.Unlock()
	if age := now.Sub(g.from); age < 0 || age >= glanceFor {
		return nil
	}
	return g.view
}

// see is what look said a moment ago, or says now.
func (g *glance) see(ctx context.Context, now func() time.Time, look func() (*live.View, error)) (*live.View, error) {
	if view := g.kept(now()); view != nil {
		return view, nil
	}
	// All that wait for the view share it, so it doesn't end with one of them.
	result := g.flight.DoChan("", func() (_ any, err error) {
		// Pods write the files, and nobody else recovers here: this is not the request's goroutine.
		defer func() {
			if cause := recover(); cause != nil {
				err = fmt.Errorf("look at the files of a run: %v", cause)
			}
		}()
		from := now()
		if view := g.kept(from); view != nil { // of a flight that has just ended
			return view, nil
		}
		view, err := look()
		if err != nil {
			return nil, err
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		g.view, g.from = view, from
		return view, nil
	})
	select {
	case done := <-result:
		if done.Err != nil {
			return nil, done.Err
		}
		return done.Val.(*live.View), nil
	case <-ctx.Done():
		return nil, errors.Join(errBusy, ctx.Err())
	}
}

// live is where the workload that was started last stands, and what the observer saw last of the members.
func (s *Server) live(ctx context.Context, r *run) (wire.Live, error) {
	view, err := r.glance.see(ctx, s.config.Now, func() (*live.View, error) {
		release, err := take(s.life, s.views)
		if err != nil {
			return nil, err
		}
		defer release()
		return r.look()
	})
	if err != nil {
		return wire.Live{}, err
	}
	return view.At(s.config.Now()), nil
}

// getSeconds streams the seconds of a run until it has its report. A browser that was cut off says which event it had last.
func (s *Server) getSeconds(c *call) error {
	r, err := s.run(c)
	if err != nil {
		return err
	}
	after := int64(0)
	// A browser says it by itself only if the answer before was a stream.
	if had := cmp.Or(c.Header.Get("Last-Event-ID"), c.URL.Query().Get("after")); had != "" {
		if after, err = strconv.ParseInt(had, 10, 64); err != nil {
			return refuse(wire.ReasonInvalid, "%q is no number of an event", had)
		}
	}
	feed, leave, ok := s.feeds.Open(r.uid, func() *stream.Feed { return stream.NewFeed(mostEvents) }, func(ctx context.Context, feed *stream.Feed) {
		follow.Follow(ctx, followed{r}, feed, s.config.Now, s.config.Log.With("run", r.uid))
	})
	if !ok {
		return refuse(wire.ReasonUnavailable, "%d runs are watched already, and more would take the processor from them", s.config.Limits.Followed)
	}
	defer leave()
	// The right to read is looked at again when the browser comes back.
	ctx, cancel := context.WithTimeout(c.Context(), streamLimit)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	if err := c.connection.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	c.answer.Header().Set("Content-Type", "text/event-stream")
	c.answer.Header().Set("Cache-Control", "no-store")
	c.answer.Header().Set("X-Accel-Buffering", "no") // of proxies
	return feed.Send(ctx, s.patient(c), c.connection.Flush, after)
}

const (
	// mostEvents are those of an hour, and of the workloads' starts.
	mostEvents = follow.MostSeconds + 100
	// feedLinger is for how long a feed stays that nobody follows: a browser that comes back needn't wait until all is read again.
	feedLinger = 30 * time.Second
	// streamLimit bounds one connection.
	streamLimit = 10 * time.Minute
)

// followed is a run as package follow sees it.
type followed struct{ run *run }

func (f followed) Started() (all []seconds.Workload) {
	f.run.mu.Lock()
	defer f.run.mu.Unlock()
	for name, start := range f.run.starts {
		of := f.run.workloads[name]
		all = append(all, seconds.Workload{Name: name, Workers: of.workers, WarmupMillis: of.warmupMillis, Start: time.Unix(0, start.StartUnixNanos)})
	}
	slices.SortFunc(all, func(a, b seconds.Workload) int { return a.Start.Compare(b.Start) })
	return all
}

func (f followed) Names() ([]string, error) {
	entries, err := os.ReadDir(f.run.dir)
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names, err
}

func (f followed) Read(name string, offset int64, most int) ([]byte, error) {
	file, err := os.Open(f.run.path(name))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() <= offset {
		return nil, err
	}
	text := make([]byte, min(int64(most), info.Size()-offset))
	n, err := file.ReadAt(text, offset)
	if errors.Is(err, io.EOF) { // it was cut since
		err = nil
	}
	return text[:n], err
}

func (f followed) Reported() bool {
	f.run.mu.Lock()
	defer f.run.mu.Unlock()
	return f.run.reported
}

// look reads the ends of the files.
func (r *run) look() (*live.View, error) {
	r.mu.Lock()
	name, start := newestStart(r.starts)
	r.mu.Unlock()
	var workload *live.Workload
	if name != "" {
		of := r.workloads[name]
		workload = &live.Workload{Name: name, Workers: of.workers, WarmupMillis: of.warmupMillis, Start: time.Unix(0, start.StartUnixNanos)}
	}
	entries, err := os.ReadDir(r.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, refuse(wire.ReasonNotFound, "the run %s is no longer kept", r.uid)
	}
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return live.Of(workload, names, func(name string, most int64) (live.Tail, error) { return readTail(r.path(name), most) })
}

func newestStart(starts map[string]bundle.Start) (workload string, newest bundle.Start) {
	for name, start := range starts {
		if workload == "" || start.StartUnixNanos > newest.StartUnixNanos {
			workload, newest = name, start
		}
	}
	return workload, newest
}

func readTail(path string, most int64) (live.Tail, error) {
	file, err := os.Open(path)
	if err != nil {
		return live.Tail{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return live.Tail{}, err
	}
	from := max(0, info.Size()-most)
	text := make([]byte, info.Size()-from)
	n, err := file.ReadAt(text, from)
	if err != nil && !errors.Is(err, io.EOF) { // the file may have been cut since
		return live.Tail{}, err
	}
	text = text[:n]
	if from == 0 {
		return live.Tail{Text: text}, nil
	}
	_, text, _ = bytes.Cut(text, []byte("\n"))
	return live.Tail{Text: text, Cut: true}, nil
}
