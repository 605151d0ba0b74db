package results

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/client"
)

func TestAPlanIsRegisteredOnce(t *testing.T) {
	h := registered(t)
	controller := h.as("controller")
	expect(t, "the same again", controller.Register(t.Context(), runUID, planOf(runUID)), nil)
	expect(t, "another plan", controller.Register(t.Context(), runUID, append(planOf(runUID), '\n')), client.ErrConflict)
	h.restart()
	expect(t, "the same after a restart", controller.Register(t.Context(), runUID, planOf(runUID)), nil)
	expect(t, "another after a restart", controller.Register(t.Context(), runUID, append(planOf(runUID), '\n')), client.ErrConflict)
	expect(t, "a plan of another run", controller.Register(t.Context(), otherUID, planOf(runUID)), statusError(400))
	expect(t, "no plan", controller.Register(t.Context(), otherUID, []byte("{}")), statusError(400))
	expect(t, "no JSON", controller.Register(t.Context(), otherUID, []byte("plan")), statusError(400))
}

func TestAMeasuringWorkersClaimIsGivenOnce(t *testing.T) {
	second := writerA0
	second.PodUID = pod2UID
	other := writerA0
	other.Index = 1
	loader, observerWriter := writerA0, observer
	loader.Role = bundle.RoleLoad
	loader2 := second
	loader2.Role = bundle.RoleLoad
	h := registered(t)
	for _, c := range []struct {
		what    string
		restart bool
		who     string
		writer  bundle.Writer
		want    error
	}{
		{what: "the first", who: "worker", writer: writerA0},
		{what: "the same again", who: "worker", writer: writerA0},
		{what: "a second pod", who: "second", writer: second, want: client.ErrClaimed},
		{what: "the same after a restart", restart: true, who: "worker", writer: writerA0},
		{what: "a second pod after a restart", who: "second", writer: second, want: client.ErrClaimed},
		{what: "another index", who: "worker", writer: other},
		{what: "a loader", who: "loader", writer: loader},
		{what: "another loader", who: "controller", writer: loader2},
		{what: "an observer", who: "observer", writer: observerWriter},
		{what: "an index that the plan hasn't", who: "controller", writer: bundle.Writer{Role: bundle.RoleWorker, Workload: "a", Index: 2, PodUID: podUID}, want: statusError(400)},
		{what: "a workload that the plan hasn't", who: "controller", writer: bundle.Writer{Role: bundle.RoleWorker, Workload: "c", PodUID: podUID}, want: statusError(400)},
		{what: "a role that there isn't", who: "controller", writer: bundle.Writer{Role: "admin", Workload: "a", PodUID: podUID}, want: statusError(400)},
	} {
		if c.restart {
			h.restart()
		}
		expect(t, c.what, h.as(c.who).Claim(t.Context(), runUID, c.writer), c.want)
	}
	state, err := h.as("reader").State(t.Context(), runUID)
	must(t, err)
	if len(state.Claims) != 5 || state.Claims[0].Pod != "demo-1a2b-measure-a-0-x7k2p" {
		t.Errorf("claims: %+v", state.Claims)
	}
}

func TestATornClaimIsCutOff(t *testing.T) {
	h := registered(t)
	must(t, h.as("worker").Claim(t.Context(), runUID, writerA0))
	whole := h.onDisk(bundle.ClaimsFile)
	path := filepath.Join(h.config.Data, runsFolder, runUID, bundle.ClaimsFile)
	must(t, os.WriteFile(path, append(whole, `{"role":"work`...), 0o640))
	h.restart()
	must(t, h.as("observer").Claim(t.Context(), runUID, observer))
	h.restart()
	state, err := h.as("reader").State(t.Context(), runUID)
	must(t, err)
	if len(state.Claims) != 2 {
		t.Errorf("claims: %+v", state.Claims)
	}
}

func TestAStartIsMadeOnce(t *testing.T) {
	h := registered(t)
	controller := h.as("controller")
	before := time.Now()
	first, err := controller.StartIn(t.Context(), runUID, "a", 3*time.Second)
	must(t, err)
	at := time.Unix(0, first.StartUnixNanos)
	if at.Before(before.Add(3*time.Second)) || at.After(time.Now().Add(4*time.Second)) {
		t.Errorf("started at %s, asked at %s", at, before)
	}
	if first.StartUnixNanos%int64(time.Second) != 0 {
		t.Errorf("started at %s, which is no full second", at)
	}
	h.restart()
	again, err := controller.StartIn(t.Context(), runUID, "a", 9*time.Second)
	must(t, err)
	if again != first {
		t.Errorf("the second answer is %v, the first was %v", again, first)
	}
	got, err := h.as("worker").AwaitStart(t.Context(), runUID, "a")
	must(t, err)
	if got != first {
		t.Errorf("the worker heard %v", got)
	}
	_, err = controller.StartIn(t.Context(), runUID, "c", time.Second)
	expect(t, "a workload that the plan hasn't", err, client.ErrNotFound)
	for _, in := range []time.Duration{0, -time.Second, time.Hour, 1 << 62} {
		_, err = controller.StartIn(t.Context(), runUID, "b", in)
		expect(t, "in "+in.String(), err, statusError(400))
	}
}

func TestStartsThatRaceGetOneAnswerAndAllHearIt(t *testing.T) {
	h := registered(t)
	heard := make(chan bundle.Start)
	for _, who := range []string{"worker", "observer", "reader", "second"} {
		c := h.as(who)
		go func() {
			start, err := c.AwaitStart(t.Context(), runUID, "a")
			if err != nil {
				t.Error(err)
			}
			heard <- start
		}()
	}
	answers := make(chan bundle.Start)
	for i := range 8 {
		c := h.as("controller")
		go func() {
			start, err := c.StartIn(t.Context(), runUID, "a", time.Duration(i+1)*time.Second)
			if err != nil {
				t.Error(err)
			}
			answers <- start
		}()
	}
	first := <-answers
	for range 7 {
		if next := <-answers; next != first {
			t.Errorf("answers %v and %v", first, next)
		}
	}
	for range 4 {
		if start := <-heard; start != first {
			t.Errorf("heard %v, made %v", start, first)
		}
	}
}

func TestAStartLeftByAFailureHolds(t *testing.T) {
	h := registered(t)
	path := filepath.Join(h.config.Data, runsFolder, runUID, bundle.StartFile("a"))
	must(t, os.WriteFile(path, []byte(`{"startUnixNanos":7}`), 0o640))
	start, err := h.as("controller").StartIn(t.Context(), runUID, "a", time.Second)
	must(t, err)
	if start.StartUnixNanos != 7 {
		t.Errorf("started at %d", start.StartUnixNanos)
	}
}

func TestWaitingForAStartOutlastsARestartAndEndsWithTheContext(t *testing.T) {
	h := registered(t)
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		_, err := h.as("worker").AwaitStart(t.Context(), runUID, "b")
		expect(t, "refused", err, client.ErrForbidden) // workload b is not this pod's
	})
	group.Go(func() {
		_, err := h.as("observer").AwaitStart(ctx, runUID, "b")
		expect(t, "cancelled", err, context.Canceled)
	})
	started := make(chan bundle.Start, 1)
	group.Go(func() {
		start, err := h.as("worker").AwaitStart(t.Context(), runUID, "a")
		if err != nil {
			t.Error(err)
		}
		started <- start
	})
	h.restart()
	made, err := h.as("controller").StartIn(t.Context(), runUID, "a", time.Second)
	must(t, err)
	if got := <-started; got != made {
		t.Errorf("heard %v, made %v", got, made)
	}
	cancel()
	group.Wait()
}

func TestTheDataFolderHasOneServer(t *testing.T) {
	h := newHarness(t)
	if _, err := New(h.config); err == nil {
		t.Error("a second server took the folder")
	}
}

func TestACreatedFileIsNeverReplaced(t *testing.T) {
	dir := t.TempDir()
	must(t, realDisk().createOnce(dir, "file", []byte("first")))
	expect(t, "again", realDisk().createOnce(dir, "file", []byte("second")), os.ErrExist)
	content, err := os.ReadFile(filepath.Join(dir, "file"))
	must(t, err)
	entries, err := os.ReadDir(dir)
	must(t, err)
	if string(content) != "first" || len(entries) != 1 {
		t.Errorf("content %q, %d files", content, len(entries))
	}
}
