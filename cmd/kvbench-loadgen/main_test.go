package main

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/kvbench/kvbench/internal/loadgen"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/ycsb"
)

func TestExitCodesTellWhatHappened(t *testing.T) {
	for err, want := range map[error]int{
		errors.New("anything"):                                 1,
		ycsb.Refuse("wrong"):                                   2,
		fmt.Errorf("%w: why", loadgen.ErrNotOpened):            2,
		fmt.Errorf("%w: nobody", loadgen.ErrUnreachable):       2,
		fmt.Errorf("claim: %w", loadgen.ErrSecondClaimant):     3,
		fmt.Errorf("worker 1: %w", loadgen.ErrMeasurementLost): 4,
		&ycsb.Failures{}:                                       5,
		&ycsb.NotValid{}:                                       6,
		&ycsb.Signalled{Signal: os.Interrupt}:                  130,
		&ycsb.Signalled{Signal: syscall.SIGTERM}:               143,
	} {
		if got := exitCode(err); got != want {
			t.Errorf("%v: exit code %d, want %d", err, got, want)
		}
	}
}

func writePlan(t *testing.T, change func(*plan.Plan)) string {
	t.Helper()
	p := &plan.Plan{
		Format: plan.Format, Store: plan.Store{Name: "etcd", Driver: "etcd"},
		Workloads: []plan.Workload{{Name: "a", Load: plan.Load{Workers: 2, Threads: 1}}},
	}
	change(p)
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), plan.FileName)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAJobThatThePlanDoesNotKnowIsRefused(t *testing.T) {
	same := func(*plan.Plan) {}
	for _, c := range []struct {
		name   string
		change func(*plan.Plan)
		flags  workloadFlags
		want   string
	}{
		{"known", same, workloadFlags{workload: "a", index: 1}, ""},
		{"unknown workload", same, workloadFlags{workload: "b"}, `no workload "b"`},
		{"index too high", same, workloadFlags{workload: "a", index: 2}, "workers 0 to 1"},
		{"another format", func(p *plan.Plan) { p.Format = 2 }, workloadFlags{workload: "a"}, "has format 2"},
		{"unknown driver", func(p *plan.Plan) { p.Store.Driver = "x" }, workloadFlags{workload: "a"}, `driven by "x"`},
	} {
		c.flags.plan = writePlan(t, c.change)
		_, err := c.flags.job()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestReadyMeansArmed(t *testing.T) {
	flags := workloadFlags{workload: "a"}
	flags.plan = writePlan(t, func(*plan.Plan) {})
	job, err := flags.job()
	if err != nil {
		t.Fatal(err)
	}
	server, err := serve("127.0.0.1:0", job)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	status := func(path string) int {
		answer := httptest.NewRecorder()
		server.Handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		return answer.Code
	}
	if got := status("/readyz"); got != 503 {
		t.Errorf("readyz before the job is armed: %d", got)
	}
	job.Armed()
	for _, path := range []string{"/readyz", "/healthz", "/metrics"} {
		if got := status(path); got != 200 {
			t.Errorf("%s: %d", path, got)
		}
	}
}

func TestUnpackTakesPlainFilesAtTheRootAlone(t *testing.T) {
	for name, want := range map[string]bool{
		"plan.json": true, "./plan.json": true, "../plan.json": false, "/etc/passwd": false, "a/b": false, "..": false,
	} {
		archive := filepath.Join(t.TempDir(), "bundle.tar")
		file, err := os.Create(archive)
		if err != nil {
			t.Fatal(err)
		}
		w := tar.NewWriter(file)
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: 2, Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte("{}")); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Close(), file.Close()); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := unpack(t.Context(), archive, dir); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAPodsCommandsAreThoseThatTheControllerCalls(t *testing.T) {
	for _, name := range []string{"load", "measure", "reset", "observe"} {
		command, rest, err := newRoot().Find([]string{"pod", name, "--plan", "x"})
		if err != nil || command.Name() != name || command.Flags().Lookup("plan") == nil {
			t.Errorf("pod %s: found %s with %v left, %v", name, command.Name(), rest, err)
		}
	}
}
