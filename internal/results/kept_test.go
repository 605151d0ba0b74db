package results

import (
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/results/wire"
)

// request sends one that the controller's client doesn't have.
func (h *harness) request(method, path, token, body string) (status int, answer []byte) {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.web.URL+path, strings.NewReader(body))
	must(h.t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	got, err := h.web.Client().Do(r)
	must(h.t, err)
	defer got.Body.Close()
	answer, err = io.ReadAll(got.Body)
	must(h.t, err)
	return got.StatusCode, answer
}

func (h *harness) allow(permissions ...string) {
	for _, p := range permissions {
		h.grants.may.Store(p, true)
	}
}

func TestUsersReadTheirOwnNamespaceAlone(t *testing.T) {
	for _, path := range []string{"/v1/runs?namespace=team", "/v1/suites?namespace=team", "/v1/baselines/team",
		"/v1/runs/" + runUID, "/v1/runs/" + runUID + "/report.json", "/v1/runs/" + runUID + "/bundle.tar", "/v1/runs/" + runUID + "/live"} {
		t.Run(path, func(t *testing.T) {
			h := registered(t)
			_, err := h.as("controller").MakeReport(t.Context(), runUID)
			must(t, err)
			if got, _ := h.request("GET", path, "user", ""); got != http.StatusForbidden {
				t.Errorf("without a right: %d", got)
			}
			h.restart() // answers are remembered
			h.allow("get benchmarkruns", "list benchmarkruns", "get benchmarksuites", "list benchmarksuites")
			for who, want := range map[string]int{"user": 200, "reader": 200, "controller": 200, "rival": 403, "stranger": 403, "store": 403} {
				if got, answer := h.request("GET", path, who, ""); got != want {
					t.Errorf("%s: %d %s, want %d", who, got, answer, want)
				}
			}
		})
	}
}

func TestAllNamespacesAreForReadersAlone(t *testing.T) {
	h := registered(t)
	h.allow("list benchmarkruns")
	for who, want := range map[string]int{"reader": 200, "user": 403} {
		if got, _ := h.request("GET", "/v1/runs", who, ""); got != want {
			t.Errorf("%s: %d, want %d", who, got, want)
		}
	}
}

func TestAUserCannotTellAnothersRunFromNone(t *testing.T) {
	h := registered(t)
	h.allow("get benchmarkruns")
	status, theirs := h.request("GET", "/v1/runs/"+runUID, "rival", "")
	none, nobodys := h.request("GET", "/v1/runs/"+otherUID, "rival", "")
	if status != none || string(theirs) != string(nobodys) {
		t.Errorf("%d %s and %d %s", status, theirs, none, nobodys)
	}
}

func TestRightsAreAskedForOnceAMinute(t *testing.T) {
	h := registered(t)
	h.allow("get benchmarkruns")
	for range 3 {
		h.request("GET", "/v1/runs/"+runUID, "user", "")
	}
	if asked := h.grants.asked.Load(); asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	h.grants.down.Store(true)
	if got, _ := h.request("GET", "/v1/runs?namespace=team", "user", ""); got != http.StatusServiceUnavailable {
		t.Errorf("a right that can't be found out: %d", got)
	}
}

func TestAListTellsWhatReportsSayOfThemselves(t *testing.T) {
	report := `{"format":1,"valid":false,"invalidReasons":[{"reason":"GeneratorLag","message":"m","workload":"a"},{"reason":"GeneratorLag","message":"m","workload":"b"},` +
		`{"reason":"NodeStarved","message":"m"}],"notJudged":[],"remarks":[],"verdict":"Failed","run":{"name":"demo"},"workloads":[1`
	h := registered(t, func(c *Config) {
		c.Report = inProcess(func(fs.FS) ([]byte, []byte, error) { return []byte(report), nil, nil })
	})
	list := func() wire.RunList {
		t.Helper()
		status, answer := h.request("GET", "/v1/runs?namespace=team&name=demo", "reader", "")
		var list wire.RunList
		if status != http.StatusOK || json.Unmarshal(answer, &list) != nil || len(list.Runs) != 1 {
			t.Fatalf("%d %s", status, answer)
		}
		return list
	}
	if got := list().Runs[0]; got.Judgement != nil || got.Reported || got.StartedAtUnixNanos != 0 || got.Name != "demo" {
		t.Errorf("before the start: %+v", got)
	}
	start, err := h.as("controller").StartIn(t.Context(), runUID, "a", time.Second)
	must(t, err)
	_, err = h.as("controller").MakeReport(t.Context(), runUID)
	must(t, err)
	for range 2 { // the second time from memory
		got := list().Runs[0]
		if got.StartedAtUnixNanos != start.StartUnixNanos || !got.Reported || got.Judgement == nil {
			t.Fatalf("after the report: %+v", got)
		}
		if j := got.Judgement; j.Valid || j.Verdict != "Failed" || strings.Join(j.InvalidReasons, " ") != "GeneratorLag NodeStarved" {
			t.Errorf("it says %+v", j)
		}
	}
	if _, answer := h.request("GET", "/v1/runs?name=other", "reader", ""); string(answer) != "{\"runs\":[]}\n" {
		t.Errorf("another name: %s", answer)
	}
}

func TestADamagedReportHidesNoRun(t *testing.T) {
	h := registered(t, func(c *Config) {
		c.Report = inProcess(func(fs.FS) ([]byte, []byte, error) { return []byte(`{"valid":fal`), nil, nil })
	})
	_, err := h.as("controller").MakeReport(t.Context(), runUID)
	must(t, err)
	if status, answer := h.request("GET", "/v1/runs", "reader", ""); status != http.StatusOK || !strings.Contains(string(answer), runUID) || strings.Contains(string(answer), "judgement") {
		t.Errorf("%d %s", status, answer)
	}
	if status, _ := h.request("GET", "/v1/runs?namespace=..%2Fx", "reader", ""); status != http.StatusBadRequest {
		t.Errorf("what is no namespace: %d", status)
	}
}

func TestADeletedRunIsGoneAndOneUnderWayStays(t *testing.T) {
	h := registered(t)
	h.allow("get benchmarkruns", "delete results")
	must(t, h.as("worker").Claim(t.Context(), runUID, writerA0))
	if got, answer := h.request("DELETE", "/v1/runs/"+runUID, "user", ""); got != http.StatusConflict || !strings.Contains(string(answer), "under way") {
		t.Errorf("under way: %d %s", got, answer)
	}
	_, err := h.as("controller").MakeReport(t.Context(), runUID)
	must(t, err)
	for _, who := range []string{"rival", "reader", "worker"} {
		if got, answer := h.request("DELETE", "/v1/runs/"+runUID, who, ""); got != http.StatusForbidden {
			t.Errorf("%s: %d %s", who, got, answer)
		}
	}
	if got, answer := h.request("DELETE", "/v1/runs/"+runUID, "user", ""); got != http.StatusOK {
		t.Errorf("reported: %d %s", got, answer)
	}
	h.restart()
	if got, _ := h.request("GET", "/v1/runs/"+runUID, "reader", ""); got != http.StatusNotFound {
		t.Errorf("after it: %d", got)
	}
}

func TestARunWithoutAReportIsDeletedByWhoKnowsThatItIsOver(t *testing.T) {
	h := registered(t)
	h.allow("get benchmarkruns", "delete results")
	if got, answer := h.request("DELETE", "/v1/runs/"+runUID, "user", ""); got != http.StatusConflict {
		t.Errorf("it may be under way: %d %s", got, answer)
	}
	must(t, h.as("worker").Claim(t.Context(), runUID, writerA0))
	if got, answer := h.request("DELETE", "/v1/runs/"+runUID+"?over=true", "user", ""); got != http.StatusOK {
		t.Errorf("it is over: %d %s", got, answer)
	}
}

func TestBaselinesAreListedKeptAndDeleted(t *testing.T) {
	h := registered(t)
	h.allow("get benchmarksuites", "create results", "delete results")
	baseline := `{"format":1,"suite":{"namespace":"team","name":"nightly","uid":"` + runUID + `"},"combinations":[{"labels":[],"unusable":0,"fingerprints":[{}],"workloads":[],"operations":[],"faults":[],"metrics":[]}]}`
	at := "/v1/baselines/team/" + url.PathEscape("released")
	for _, c := range []struct {
		what, method, path, who, body string
		want                          int
	}{
		{"no JSON", "PUT", at, "user", "x", 400},
		{"a name that is a path", "PUT", "/v1/baselines/team/..%2Fx", "user", baseline, 400},
		{"another's namespace", "PUT", at, "rival", baseline, 403},
		{"one that reads alone", "PUT", at, "reader", baseline, 403},
		{"a baseline", "PUT", at, "user", baseline, 200},
		{"read it", "GET", at, "user", "", 200},
		{"another's deletion", "DELETE", at, "rival", "", 403},
	} {
		if got, answer := h.request(c.method, c.path, c.who, c.body); got != c.want {
			t.Errorf("%s: %d %s, want %d", c.what, got, answer, c.want)
		}
	}
	var list wire.BaselineList
	_, answer := h.request("GET", "/v1/baselines/team", "user", "")
	must(t, json.Unmarshal(answer, &list))
	if len(list.Baselines) != 1 || list.Baselines[0].Name != "released" || list.Baselines[0].Suite != "nightly" || list.Baselines[0].Combinations != 1 {
		t.Errorf("the list has %s", answer)
	}
	for _, want := range []int{200, 404} {
		if got, _ := h.request("DELETE", at, "user", ""); got != want {
			t.Errorf("deletion: %d, want %d", got, want)
		}
	}
}
