package doctor

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/exit"
	"github.com/kvbench/kvbench/internal/cli/kube"
)

// refusing is an API server that tells its version, and nothing else.
func refusing(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path == "/version" {
		_, _ = w.Write([]byte(`{"gitVersion":"v1.34.2"}`))
		return
	}
	w.WriteHeader(http.StatusForbidden)
	_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"no"}`))
}

// A user without any right gets an answer of each check, and no error.
func TestWithoutRightsNoCheckEndsTheOthers(t *testing.T) {
	findings, err := examine(t.Context(), clusterAt(t, refusing))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, f := range findings {
		seen[f.Check] = true
		if f.Severity != Unknown && f.Check != "API server" && f.Check != "clocks" || f.Check == "" || f.Where == "" {
			t.Errorf("got %+v", f)
		}
	}
	if len(seen) != 13 {
		t.Errorf("%d checks have an answer: %v", len(seen), seen)
	}
}

// run is the command with arguments, and what it prints.
func run(t *testing.T, args ...string) (out string, err error) {
	t.Helper()
	t.Setenv("KUBECONFIG", "/no/such/kubeconfig")
	var printed bytes.Buffer
	e := &env.Env{Flags: kube.NewFlags(), In: strings.NewReader(""), Out: &printed, Err: io.Discard}
	cmd := Command(e)
	e.Flags.Add(cmd.Flags())
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	err = cmd.ExecuteContext(t.Context())
	return printed.String(), err
}

func TestTheCommandPrintsItsFindingsAndThenItsVerdict(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(refusing))
	defer api.Close()
	out, err := run(t, "--server", api.URL, "-o", "json")
	var findings []map[string]any
	if err := json.Unmarshal([]byte(out), &findings); err != nil || len(findings) < 13 {
		t.Errorf("%d findings, %v: %s", len(findings), err, out)
	}
	if exit.Code(err) != exit.Unknown || !strings.Contains(err.Error(), "not all could be looked at") {
		t.Errorf("got %v", err)
	}
	if first := findings[0]; first["check"] != "API server" || first["severity"] != "ok" || first["where"] != "cluster" || first["what"] != "Kubernetes v1.34.2" {
		t.Errorf("got %v", first)
	}
}

func TestWithoutAClusterTheCommandPrintsNothing(t *testing.T) {
	if out, err := run(t, "--server", "http://127.0.0.1:1"); out != "" || exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), "can't be reached") {
		t.Errorf("%v, and it printed %q", err, out)
	}
}
