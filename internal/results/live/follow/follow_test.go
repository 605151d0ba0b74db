package follow_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/live/follow"
	"github.com/kvbench/kvbench/internal/results/live/seconds"
	"github.com/kvbench/kvbench/internal/results/stream"
)

// run has two workloads of one worker each, one after the other.
type run struct {
	started  []seconds.Workload
	files    map[string][]byte
	gone     atomic.Bool
	reported atomic.Bool
	panics   bool
}

func (r *run) Started() []seconds.Workload { return r.started }

func (r *run) Names() (names []string, err error) {
	if r.panics {
		panic("a file that nobody has thought of")
	}
	if r.gone.Load() {
		return nil, fs.ErrNotExist
	}
	for name := range r.files {
		names = append(names, name)
	}
	return names, nil
}

func (r *run) Read(name string, offset int64, most int) ([]byte, error) {
	text := r.files[name][offset:]
	return text[:min(most, len(text))], nil
}

func (r *run) Reported() bool { return r.reported.Load() }

func newRun(t *testing.T, length int) *run {
	t.Helper()
	r := &run{files: map[string][]byte{}}
	for i, name := range []string{"a", "b"} {
		start := time.Now().Add(time.Duration(i*length+10*i) * time.Second)
		r.started = append(r.started, seconds.Workload{Name: name, Workers: 1, Start: start})
		w := bundle.Writer{Role: bundle.RoleWorker, Workload: name, PodUID: "aaaaaaaa-0000-4000-8000-000000000001"}
		var lines []byte
		for second := range length {
			line, err := json.Marshal(bundle.SelfLine{AtUnixNanos: start.Add(time.Duration(second+1) * time.Second).UnixNano(), Second: &bundle.SelfSecond{LengthMicros: 1_000_000}})
			if err != nil {
				t.Fatal(err)
			}
			lines = append(append(lines, line...), '\n')
		}
		r.files[w.File(bundle.Jsonl)], r.files[w.File(bundle.Hlog)] = lines, nil
		if name == "b" { // the worker of the other one was lost, and left no end mark
			r.files[bundle.EndFile(w.File(bundle.Jsonl))], r.files[bundle.EndFile(w.File(bundle.Hlog))] = nil, nil
		}
	}
	return r
}

// events are all that the feed has, as "a 17" and by their names.
func events(t *testing.T, feed *stream.Feed) (all []string) {
	t.Helper()
	var text bytes.Buffer
	if err := feed.Send(t.Context(), &text, func() error { return nil }, 0); err != nil {
		t.Fatal(err)
	}
	for event := range strings.SplitSeq(text.String(), "\n\n") {
		_, document, has := strings.Cut(event, "data: ")
		if _, name, named := strings.Cut(event, "event: "); named {
			name, _, _ = strings.Cut(name, "\n")
			all = append(all, name)
			continue
		}
		var s seconds.Second
		if has && json.Unmarshal([]byte(document), &s) == nil {
			all = append(all, fmt.Sprintf("%s %d", s.Workload, s.Second))
		}
	}
	return all
}

func TestWhoeverComesLateIsToldAllWorkloads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const length = 500
		r := newRun(t, length)
		time.Sleep((2*length + 20) * time.Second)
		feed := stream.NewFeed(10_000)
		go follow.Follow(t.Context(), r, feed, time.Now, slog.New(slog.DiscardHandler))
		time.Sleep(time.Hour)
		r.reported.Store(true)
		want := []string{follow.Started}
		for second := range length {
			want = append(want, fmt.Sprintf("a %d", second))
		}
		want = append(want, follow.Started)
		for second := range length {
			want = append(want, fmt.Sprintf("b %d", second))
		}
		want = append(want, follow.Reported)
		if got := events(t, feed); strings.Join(got, ",") != strings.Join(want, ",") {
			t.Errorf("told are %d events, and should be %d: %v", len(got), len(want), got)
		}
	})
}

func TestAFeedEndsWithItsRun(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(*run)
		last   string
	}{
		{"is no longer kept", func(r *run) { r.gone.Store(true) }, follow.Gone},
		{"has its report already", func(r *run) { r.reported.Store(true) }, follow.Reported},
		{"can't be read", func(r *run) { r.panics = true }, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			r, feed := newRun(t, 3), stream.NewFeed(100)
			c.change(r)
			go follow.Follow(t.Context(), r, feed, time.Now, slog.New(slog.DiscardHandler))
			if got := strings.Join(events(t, feed), ","); got != c.last {
				t.Errorf("a run %s: told are %q", c.what, got)
			}
		})
	}
}
