package results

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/client"
)

func TestWhoMayDoWhat(t *testing.T) {
	type action func(context.Context, *client.Client) error
	appendTo := func(w bundle.Writer, kind string) action {
		return func(ctx context.Context, c *client.Client) error {
			_, err := c.Append(ctx, runUID, w.File(kind), 0, nil)
			return err
		}
	}
	claimOf := func(w bundle.Writer) action {
		return func(ctx context.Context, c *client.Client) error { return c.Claim(ctx, runUID, w) }
	}
	reset, loader, neighbour := writerA0, writerA0, writerA0
	reset.Role, loader.Role = bundle.RoleReset, bundle.RoleLoad
	neighbour.PodUID = pod2UID
	known := []string{"controller", "reader", "stranger", "worker", "second", "loader", "observer", "other-namespace", "other-run", "store"}
	for _, c := range []struct {
		what    string
		do      action
		allowed []string
	}{
		{"ask the time", func(ctx context.Context, c *client.Client) error { _, err := c.Time(ctx); return err }, known},
		{"check", func(ctx context.Context, c *client.Client) error { return c.Check(ctx, runUID, planOf(runUID)) }, []string{"controller"}},
		{"register", func(ctx context.Context, c *client.Client) error { return c.Register(ctx, runUID, planOf(runUID)) }, []string{"controller"}},
		{"start", func(ctx context.Context, c *client.Client) error {
			_, err := c.StartIn(ctx, runUID, "a", time.Second)
			return err
		}, []string{"controller"}},
		{"hear the start", func(ctx context.Context, c *client.Client) error {
			_, err := c.AwaitStart(ctx, runUID, "a")
			return err
		},
			[]string{"controller", "reader", "worker", "second", "observer"}},
		{"append to the worker's file", appendTo(writerA0, bundle.Hlog), []string{"controller", "worker"}},
		{"append to the other pod's file", appendTo(neighbour, bundle.Bins), []string{"controller", "second"}},
		{"append to the loader's file", appendTo(loader, bundle.Hlog), []string{"controller", "loader"}},
		{"append to the file of the pod that empties", appendTo(reset, bundle.Jsonl), []string{"controller"}},
		{"append to the observer's file", appendTo(observer, bundle.Jsonl), []string{"controller", "observer"}},
		{"append to what kubelets said", appendTo(kubelets, bundle.Jsonl), []string{"controller"}},
		{"end the worker's file", func(ctx context.Context, c *client.Client) error {
			return c.End(ctx, runUID, writerA0.File(bundle.Hlog), endOf(""))
		}, []string{"controller", "worker"}},
		{"claim as the worker", claimOf(writerA0), []string{"controller", "worker"}},
		{"claim as the loader", claimOf(loader), []string{"controller", "loader"}},
		{"claim as the observer", claimOf(observer), []string{"controller", "observer"}},
		{"put faults", func(ctx context.Context, c *client.Client) error { return c.PutFaults(ctx, runUID, nil) }, []string{"controller"}},
		{"put the environment", func(ctx context.Context, c *client.Client) error { return c.PutEnvironment(ctx, runUID, []byte("{}")) }, []string{"controller"}},
		{"read the state", func(ctx context.Context, c *client.Client) error { _, err := c.State(ctx, runUID); return err }, []string{"controller", "reader"}},
		{"see it live", func(ctx context.Context, c *client.Client) error { _, err := c.Live(ctx, runUID); return err }, []string{"controller", "reader"}},
		{"make the report", func(ctx context.Context, c *client.Client) error { _, err := c.MakeReport(ctx, runUID); return err }, []string{"controller"}},
		{"read the report", func(ctx context.Context, c *client.Client) error { _, err := c.GetReport(ctx, runUID); return err }, []string{"controller", "reader"}},
		{"take the bundle", func(ctx context.Context, c *client.Client) error { return c.Bundle(ctx, runUID, io.Discard) }, []string{"controller", "reader"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			h := registered(t)
			// Everything is there already, so that only the rights decide.
			controller := h.as("controller")
			_, err := controller.StartIn(t.Context(), runUID, "a", time.Second)
			must(t, err)
			if c.what == "end the worker's file" {
				must(t, appendTo(writerA0, bundle.Hlog)(t.Context(), controller))
			}
			if c.what == "read the report" {
				_, err := controller.MakeReport(t.Context(), runUID)
				must(t, err)
			}
			for _, who := range known {
				want := error(nil)
				if !slices.Contains(c.allowed, who) {
					want = client.ErrForbidden
				}
				expect(t, who, c.do(t.Context(), h.as(who)), want)
			}
			if c.what == "hear the start" {
				return // a token that has run out is waited for: see the client's tests
			}
			for _, who := range []string{"expired", "", "a b"} {
				expect(t, "token "+who, c.do(t.Context(), h.as(who)), client.ErrUnauthenticated)
			}
		})
	}
}

func TestAPodsNameIsTakenAsKubernetesCutsIt(t *testing.T) {
	f := facts{uid: runUID, namespace: "team", id: "a-name-of-forty-characters-0123456789abc"}
	w := bundle.Writer{Role: bundle.RoleWorker, Workload: "a-workload-of-many-letters", PodUID: podUID}
	// The Job's name is cut to 55 characters before "-0-" and five random letters.
	job := f.id + "-measure-" + w.Workload
	if who := pod("team", job[:55]+"-0-x7k2p", podUID); !f.writes(who, w) {
		t.Error("the worker's own pod may not write")
	}
	if who := pod("team", f.id+"-load-a-0-x7k2p", podUID); f.writes(who, w) {
		t.Error("a loader's pod may write a worker's file")
	}
	if (facts{namespace: "team"}).writes(pod("team", "x", ""), bundle.Writer{Role: "none"}) {
		t.Error("a caller without a pod may write")
	}
}

func TestHostileNamesReachNoPath(t *testing.T) {
	h := registered(t)
	for _, path := range []string{
		"/v1/runs/" + runUID + "/files/..%2f..%2flock",
		"/v1/runs/" + runUID + "/files/plan.json",
		"/v1/runs/" + runUID + "/files/claims.jsonl",
		"/v1/runs/" + runUID + "/files/" + fileA0 + ".end",
		"/v1/runs/" + runUID + "/files/" + fileA0 + "%00",
		"/v1/runs/" + runUID + "/files/" + url.PathEscape("worker-a/../b-0-"+podUID+".hlog"),
		"/v1/runs/" + runUID + "/files/worker-c-0-" + podUID + ".hlog",
		"/v1/runs/" + runUID + "/files/worker-a-999-" + podUID + ".hlog",
		"/v1/runs/..%2fdeleted/files/" + fileA0,
		"/v1/runs/%2e%2e/files/" + fileA0,
		"/v1/runs/" + runUID + "/starts/..%2f" + "a",
		"/v1/runs/" + runUID + "/..%2fplan.json",
		"/v1/runs/" + runUID + "/plan.json",
		"/v1/runs/" + runUID[:35] + "/files/" + fileA0,
	} {
		for _, method := range []string{http.MethodGet, http.MethodPatch, http.MethodPut, http.MethodPost} {
			r, err := http.NewRequestWithContext(t.Context(), method, h.web.URL+path+"?offset=0", http.NoBody)
			must(t, err)
			r.Header.Set("Authorization", "Bearer controller")
			answer, err := h.web.Client().Do(r)
			must(t, err)
			answer.Body.Close()
			if answer.StatusCode < 400 || answer.StatusCode >= 500 {
				t.Errorf("%s %s: %s", method, path, answer.Status)
			}
		}
	}
	state, err := h.as("reader").State(t.Context(), runUID)
	must(t, err)
	if len(state.Files) != 0 {
		t.Errorf("files were made: %+v", state.Files)
	}
}

func TestUnknownRunsAreHiddenFromStrangers(t *testing.T) {
	h := registered(t)
	_, err := h.as("worker").Append(t.Context(), otherUID, fileA0, 0, nil)
	expect(t, "a pod", err, client.ErrForbidden)
	_, err = h.as("controller").Append(t.Context(), otherUID, fileA0, 0, nil)
	expect(t, "the controller", err, client.ErrNotFound)
}

func TestProbesNeedNoToken(t *testing.T) {
	h := newHarness(t)
	for _, path := range []string{"/healthz", "/readyz"} {
		answer, err := h.web.Client().Get(h.web.URL + path)
		must(t, err)
		answer.Body.Close()
		if answer.StatusCode != http.StatusNoContent {
			t.Errorf("%s: %s", path, answer.Status)
		}
	}
}
