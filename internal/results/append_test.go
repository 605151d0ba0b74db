package results

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/results/wire"
)

func TestAFileGrowsOnlyAtItsLengthAndOnlyToItsEnd(t *testing.T) {
	type step struct {
		what    string
		restart bool
		offset  int64
		data    string
		end     string // the content that the end mark describes; "-" is the empty file
		length  int64
		want    error
	}
	for name, steps := range map[string][]step{
		"a tail after the other": {
			{what: "first", data: "hello ", length: 6},
			{what: "second", offset: 6, data: "world", length: 11},
			{what: "end", end: "hello world"},
		},
		"a retry of what was appended adds nothing": {
			{what: "first", data: "hello", length: 5},
			{what: "retry", data: "hello", length: 5, want: client.ErrOffset},
			{what: "next", offset: 5, data: "!", length: 6},
		},
		"an overlap is refused": {
			{what: "first", data: "hello", length: 5},
			{what: "overlap", offset: 3, data: "lo world", length: 5, want: client.ErrOffset},
		},
		"a gap is refused": {
			{what: "first", data: "hello", length: 5},
			{what: "gap", offset: 9, data: "x", length: 5, want: client.ErrOffset},
			{what: "gap in a new file's place", offset: 5, data: "x", length: 6},
		},
		"a file doesn't begin with a gap": {
			{what: "gap", offset: 1, data: "x", length: 0, want: client.ErrOffset},
		},
		"a restart keeps the length": {
			{what: "first", data: "hello", length: 5},
			{what: "retry", restart: true, data: "hello", length: 5, want: client.ErrOffset},
			{what: "next", offset: 5, data: "!", length: 6},
			{what: "end", restart: true, end: "hello!"},
		},
		"nothing comes after the end": {
			{what: "first", data: "hello", length: 5},
			{what: "end", end: "hello"},
			{what: "more", offset: 5, data: "!", length: 5, want: client.ErrEnded},
			{what: "more after a restart", restart: true, offset: 5, data: "!", length: 5, want: client.ErrEnded},
			{what: "the same end again", end: "hello"},
			{what: "another end", end: "hellO", want: client.ErrEnded},
		},
		"an end must fit the file": {
			{what: "end of no file", end: "hello", want: client.ErrNotFound},
			{what: "first", data: "hello", length: 5},
			{what: "too short", end: "hell", want: client.ErrOffset},
			{what: "too long", end: "hello!", want: client.ErrOffset},
			{what: "other bytes", end: "hullo", want: client.ErrDigest},
			{what: "empty, and still open", data: "hullo", length: 5},
			{what: "the end mark again", end: "hullo"},
		},
		"an empty file can end": {
			{what: "nothing", data: "", length: 0},
			{what: "end", end: "-"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := registered(t)
			worker := h.as("worker")
			for _, s := range steps {
				if s.restart {
					h.restart()
				}
				if s.end != "" {
					expect(t, s.what, worker.End(t.Context(), runUID, fileA0, endOf(strings.Trim(s.end, "-"))), s.want)
					continue
				}
				length, err := worker.Append(t.Context(), runUID, fileA0, s.offset, []byte(s.data))
				expect(t, s.what, err, s.want)
				if length != s.length {
					t.Errorf("%s: length %d, want %d", s.what, length, s.length)
				}
			}
		})
	}
}

func TestAnAppendThatBreaksOffKeepsWhatCame(t *testing.T) {
	h := registered(t)
	r, _ := h.server.registry.find(runUID)
	piece := strings.Repeat("x", pieceBytes)
	broken := io.MultiReader(strings.NewReader(piece+"tail"), iotest.ErrReader(errors.New("connection reset")))
	length, err := r.append(fileA0, 0, broken)
	if err == nil {
		t.Error("a broken body was acknowledged")
	}
	if want := int64(pieceBytes + len("tail")); length != want {
		t.Errorf("length %d, want %d", length, want)
	}
	if got := h.onDisk(fileA0); string(got) != piece+"tail" {
		t.Errorf("%d bytes on the disk", len(got))
	}
	got, err := h.as("worker").Append(t.Context(), runUID, fileA0, length, []byte("!"))
	must(t, err)
	if got != length+1 {
		t.Errorf("the next append went to %d", got)
	}
}

func TestAppendsThatRaceGiveOneFile(t *testing.T) {
	h := registered(t)
	results := make(chan error)
	for range 8 {
		c := h.as("worker")
		go func() {
			_, err := c.Append(t.Context(), runUID, fileA0, 0, []byte("once"))
			results <- err
		}()
	}
	won := 0
	for range 8 {
		if err := <-results; err == nil {
			won++
		} else {
			expect(t, "the others", err, client.ErrOffset)
		}
	}
	if won != 1 || string(h.onDisk(fileA0)) != "once" {
		t.Errorf("%d appends won, and the file is %q", won, h.onDisk(fileA0))
	}
}

func TestBodiesAndFilesAreBounded(t *testing.T) {
	small := func(c *Config) {
		c.Limits.FilesPerRun = 2
		c.Limits.BytesPerRun = 1 << 20
	}
	for name, do := range map[string]func(context.Context, *harness) error{
		"an append above 8 MiB": func(ctx context.Context, h *harness) error {
			_, err := h.as("worker").Append(ctx, runUID, fileA0, 0, make([]byte, client.MaxAppendBytes+1))
			return err
		},
		"a run above its bytes": func(ctx context.Context, h *harness) error {
			_, err := h.as("worker").Append(ctx, runUID, fileA0, 0, make([]byte, 1<<20))
			return err
		},
		"a run above its files": func(ctx context.Context, h *harness) error {
			for _, kind := range []string{bundle.Hlog, bundle.Bins} {
				if _, err := h.as("worker").Append(ctx, runUID, writerA0.File(kind), 0, nil); err != nil {
					return errors.New("refused too early")
				}
			}
			_, err := h.as("worker").Append(ctx, runUID, writerA0.File(bundle.Jsonl), 0, nil)
			return err
		},
		"a plan above its bytes": func(ctx context.Context, h *harness) error {
			return h.as("controller").Register(ctx, otherUID, make([]byte, 2<<20))
		},
		"faults above their bytes": func(ctx context.Context, h *harness) error {
			return h.as("controller").PutFaults(ctx, runUID, make([]byte, 2<<20))
		},
		"a claim above its bytes": func(ctx context.Context, h *harness) error {
			return h.as("worker").Claim(ctx, runUID, bundle.Writer{Role: strings.Repeat("x", 8<<10)})
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := registered(t, small)
			expect(t, name, do(t.Context(), h), client.ErrTooLarge)
			if err := h.as("controller").Claim(t.Context(), runUID, writerA0); err != nil {
				t.Errorf("the server no longer answers: %v", err)
			}
		})
	}
}

func TestAnAppendNeedsOffsetAndLength(t *testing.T) {
	h := registered(t)
	path := h.web.URL + "/v1/runs/" + runUID + "/files/" + fileA0
	for _, c := range []struct {
		what, query string
		body        io.Reader
	}{
		{"no offset", "", strings.NewReader("x")},
		{"a negative offset", "?offset=-1", strings.NewReader("x")},
		{"no number", "?offset=end", strings.NewReader("x")},
		{"no length", "?offset=0", io.MultiReader(strings.NewReader("x"))},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, path+c.query, c.body)
		must(t, err)
		r.Header.Set("Authorization", "Bearer worker")
		answer, err := h.web.Client().Do(r)
		must(t, err)
		answer.Body.Close()
		if answer.StatusCode != statuses[wire.ReasonInvalid] {
			t.Errorf("%s: %s", c.what, answer.Status)
		}
	}
}
