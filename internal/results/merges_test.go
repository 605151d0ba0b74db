package results

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/results/wire"
)

// heldMerges are merges that go on until they are told how to end. Those of otherUID end at once.
type heldMerges struct {
	begun atomic.Int64
	ends  chan error
}

func (m *heldMerges) merge(ctx context.Context, folder string, keep func(string, io.Reader) error) error {
	if strings.HasSuffix(folder, runUID) {
		m.begun.Add(1)
		select {
		case err := <-m.ends:
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return inProcess(listingReport)(ctx, folder, keep)
}

func newHeldMerges(t *testing.T, change ...func(*Config)) (*harness, *heldMerges) {
	t.Helper()
	merges := &heldMerges{ends: make(chan error)}
	h := registered(t, append(change, func(c *Config) { c.Report = merges.merge })...)
	must(t, h.as("controller").Register(t.Context(), otherUID, planOf(otherUID)))
	return h, merges
}

// askReport asks without waiting, and says what the answer was.
func askReport(t *testing.T, h *harness) wire.Reason {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.web.URL+"/v1/runs/"+runUID+"/report", nil)
	must(t, err)
	r.Header.Set("Authorization", "Bearer controller")
	answer, err := h.web.Client().Do(r)
	must(t, err)
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusOK {
		return "made"
	}
	var problem wire.Problem
	must(t, json.NewDecoder(answer.Body).Decode(&problem))
	return problem.Reason
}

// settled asks until the answer isn't that the report is being made.
func settled(t *testing.T, h *harness) wire.Reason {
	t.Helper()
	for {
		if got := askReport(t, h); got != wire.ReasonMerging {
			return got
		}
	}
}

// Callers that give up and come again must not take the slots of other runs, nor have it made again.
func TestARunHasOneMergeHoweverOftenItIsAskedFor(t *testing.T) {
	h, merges := newHeldMerges(t)
	for range 4 * h.config.Limits.Merges {
		if got := askReport(t, h); got != wire.ReasonMerging {
			t.Fatalf("answered with %q while it is being made", got)
		}
	}
	_, err := h.as("controller").MakeReport(t.Context(), otherUID)
	expect(t, "another run's report", err, nil)
	merges.ends <- nil
	if got := settled(t, h); got != "made" || merges.begun.Load() != 1 {
		t.Errorf("answered with %q after %d merges", got, merges.begun.Load())
	}
	_, err = h.as("controller").MakeReport(t.Context(), runUID)
	expect(t, "the one that was made", err, nil)
}

func TestTheEndOfAMergeIsToldBeforeItIsTriedAgain(t *testing.T) {
	h, merges := newHeldMerges(t)
	for n, c := range []struct {
		end  error
		want wire.Reason
	}{
		{&BadBundle{"row 7 is no row"}, wire.ReasonUnmergeable},
		{errors.New("out of processes"), wire.ReasonInternal},
		{nil, "made"},
	} {
		if got := askReport(t, h); got != wire.ReasonMerging {
			t.Fatalf("answered with %q while it is being made", got)
		}
		merges.ends <- c.end
		if got := settled(t, h); got != c.want || merges.begun.Load() != int64(n+1) {
			t.Errorf("answered with %q after %d merges, want %q", got, merges.begun.Load(), c.want)
		}
	}
}

// Slow downloads hold their slots for as long as they like.
func TestMergesDownloadsAndViewsHaveSlotsOfTheirOwn(t *testing.T) {
	for name, c := range map[string]struct {
		taken func(*Server) chan struct{}
		free  []func(context.Context, *client.Client) error
	}{
		"downloads": {func(s *Server) chan struct{} { return s.archives }, []func(context.Context, *client.Client) error{
			func(ctx context.Context, c *client.Client) error { _, err := c.MakeReport(ctx, otherUID); return err },
			func(ctx context.Context, c *client.Client) error { _, err := c.Live(ctx, otherUID); return err },
		}},
		"merges": {func(s *Server) chan struct{} { return s.merges }, []func(context.Context, *client.Client) error{
			func(ctx context.Context, c *client.Client) error { return c.Bundle(ctx, otherUID, io.Discard) },
			func(ctx context.Context, c *client.Client) error { _, err := c.Live(ctx, otherUID); return err },
		}},
	} {
		t.Run(name, func(t *testing.T) {
			h, _ := newHeldMerges(t)
			slots := c.taken(h.server)
			for range cap(slots) {
				slots <- struct{}{}
			}
			for i, do := range c.free {
				expect(t, fmt.Sprintf("request %d", i), do(t.Context(), h.as("controller")), nil)
			}
		})
	}
}

// A merge that waits for its slot holds nothing of its run, and a server that ends waits for none.
func TestAMergeThatWaitsLeavesItsRunOpen(t *testing.T) {
	h, merges := newHeldMerges(t)
	for range h.config.Limits.Merges {
		h.server.merges <- struct{}{}
	}
	if got := askReport(t, h); got != wire.ReasonMerging {
		t.Fatalf("answered with %q", got)
	}
	_, err := h.as("worker").Append(t.Context(), runUID, fileA0, 0, []byte("more"))
	expect(t, "an append", err, nil)
	r, _ := h.server.registry.find(runUID)
	m := h.server.begin(r) // finds the one that waits
	h.server.Release()
	<-m.ended
	if merges.begun.Load() != 0 || !errors.Is(m.err, errBusy) {
		t.Errorf("%d merges, %v", merges.begun.Load(), m.err)
	}
}

// A server that ends breaks merges off. The next one makes them again.
func TestAServerThatEndsEndsItsMerges(t *testing.T) {
	h, merges := newHeldMerges(t)
	if got := askReport(t, h); got != wire.ReasonMerging {
		t.Fatalf("answered with %q", got)
	}
	must(t, h.server.Close())
	h.start()
	if got := askReport(t, h); got != wire.ReasonMerging {
		t.Fatalf("answered with %q", got)
	}
	merges.ends <- nil
	if got := settled(t, h); got != "made" {
		t.Errorf("answered with %q", got)
	}
}

func TestARunWhoseReportIsBeingMadeMakesNoRoom(t *testing.T) {
	now := time.Now()
	h, merges := newHeldMerges(t, func(c *Config) { c.Now = func() time.Time { return now } })
	_, err := h.as("controller").StartIn(t.Context(), runUID, "a", time.Second)
	must(t, err)
	now = now.Add(2 * quietAfter)
	for r, _ := h.server.registry.find(runUID); !r.usage().merging; {
		askReport(t, h)
	}
	for range 2 {
		_, err := h.server.registry.sweep(time.Hour, 1)
		must(t, err)
	}
	merges.ends <- nil
	if got := settled(t, h); got != "made" || h.onDiskIfAny(bundle.ReportFile) == "" {
		t.Errorf("answered with %q", got)
	}
}
