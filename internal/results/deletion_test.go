package results

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/results/wire"
)

// suiteTold is a server with a report of the run, and a suite that it is a trial of.
func suiteTold(t *testing.T, complete bool, change ...func(*Config)) *harness {
	t.Helper()
	h := registered(t, change...)
	h.allow("get benchmarkruns", "list benchmarksuites", "get benchmarksuites", "delete results")
	h.writeReport(runUID, 1)
	must(t, h.as("controller").PutSuite(t.Context(), suiteUID, oneTrial(t, complete)))
	return h
}

func TestARunThatASuiteNeedsIsDeletedWhenTheSuiteIsOver(t *testing.T) {
	const run, over = "/v1/runs/" + runUID + "?over=true", "&suiteOver="
	for _, c := range []struct {
		what     string
		complete bool
		path     string
		want     int
	}{
		{"a suite that isn't complete", false, run, http.StatusConflict},
		{"another suite is over", false, run + over + otherUID, http.StatusConflict},
		{"it was deleted half-way", false, run + over + otherUID + over + suiteUID, http.StatusOK},
		{"it has just got complete", true, run, http.StatusOK},
	} {
		t.Run(c.what, func(t *testing.T) {
			h := suiteTold(t, c.complete)
			got, answer := h.request("DELETE", c.path, "user", "")
			if got != c.want {
				t.Errorf("%d %s, want %d", got, answer, c.want)
			}
			if c.want == http.StatusConflict && !strings.Contains(string(answer), "the suite team/s is not complete and needs the run team/demo") {
				t.Errorf("it says %s", answer)
			}
		})
	}
}

// Retention lets go of runs beyond half of the room. Whoever deletes one is told all the same that a suite needs it.
func TestARunBeyondTheRoomOfSuitesIsNotDeletedUnderASuite(t *testing.T) {
	h := suiteTold(t, false, func(c *Config) { c.Limits.Runs = 1 })
	if got, answer := h.request("DELETE", "/v1/runs/"+runUID+"?over=true", "user", ""); got != http.StatusConflict {
		t.Errorf("%d %s", got, answer)
	}
}

func TestTheSuitesThatNeedARunAreListed(t *testing.T) {
	h := suiteTold(t, false)
	for run, want := range map[string]int{runUID: 1, otherUID: 0} {
		var list wire.SuiteList
		status, answer := h.request("GET", "/v1/suites?namespace=team&run="+run, "user", "")
		if status != http.StatusOK || json.Unmarshal(answer, &list) != nil || len(list.Suites) != want {
			t.Errorf("%s: %d %s, want %d", run, status, answer, want)
		}
	}
}

func TestASuiteThatIsOverIsDeleted(t *testing.T) {
	const suite, over = "/v1/suites/" + suiteUID, "?over=true"
	for _, c := range []struct {
		what     string
		complete bool
		path     string
		who      string
		want     int
	}{
		{"it may be under way", false, suite, "user", http.StatusConflict},
		{"it is gone", false, suite + over, "user", http.StatusOK},
		{"it is complete", true, suite, "user", http.StatusOK},
		{"another namespace's user", true, suite + over, "rival", http.StatusForbidden},
		{"who reads alone", true, suite + over, "reader", http.StatusForbidden},
		{"a pod", true, suite + over, "worker", http.StatusForbidden},
		{"one that nobody may see", true, "/v1/suites/" + otherUID + over, "user", http.StatusForbidden},
		{"one that isn't there", true, "/v1/suites/" + otherUID + over, "controller", http.StatusNotFound},
		{"no UID", true, "/v1/suites/..%2Fbaselines" + over, "controller", http.StatusBadRequest},
	} {
		t.Run(c.what, func(t *testing.T) {
			h := suiteTold(t, c.complete)
			if got, answer := h.request("DELETE", c.path, c.who, ""); got != c.want {
				t.Errorf("%d %s, want %d", got, answer, c.want)
			}
			h.restart()
			left := http.StatusOK
			if c.want == http.StatusOK {
				left = http.StatusNotFound
			}
			if got, answer := h.request("GET", suite+"/suite.json", "reader", ""); got != left {
				t.Errorf("then it is %d %s, want %d", got, answer, left)
			}
		})
	}
}

func TestWhoMayReadASuiteMayNotDeleteItByThat(t *testing.T) {
	h := suiteTold(t, true)
	h.grants.may.Delete("delete results")
	got, answer := h.request("DELETE", "/v1/suites/"+suiteUID, "user", "")
	if got != http.StatusForbidden || !strings.Contains(string(answer), "may not delete results.kvbench.io") {
		t.Errorf("%d %s", got, answer)
	}
}

// What a suite was compared with goes with it, and its runs may make room for others from then on.
func TestADeletedSuiteHoldsNothing(t *testing.T) {
	now := time.Now()
	h := suiteTold(t, false, func(c *Config) { c.Now, c.KeepAge = func() time.Time { return now }, time.Hour })
	must(t, os.WriteFile(filepath.Join(h.config.Data, suitesFolder, suiteUID+".baselines"), []byte("{}"), 0o600))
	if got, answer := h.request("DELETE", "/v1/suites/"+suiteUID+"?over=true", "user", ""); got != http.StatusOK {
		t.Fatalf("%d %s", got, answer)
	}
	if left, err := filepath.Glob(filepath.Join(h.config.Data, suitesFolder, suiteUID+"*")); err != nil || len(left) > 0 {
		t.Errorf("left: %q, %v", left, err)
	}
	if _, kept := h.server.registry.find(runUID); !kept {
		t.Error("the run went with its suite")
	}
	now = now.Add(2 * time.Hour)
	h.server.sweep()
	if _, kept := h.server.registry.find(runUID); kept {
		t.Error("the suite holds its run still")
	}
}
