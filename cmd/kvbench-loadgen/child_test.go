package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// asProgram makes the test's binary the program itself.
const asProgram = "KVBENCH_LOADGEN_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child is the program as a process of its own.
func child(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	notIgnored()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	command := exec.CommandContext(ctx, os.Args[0], args...)
	command.Env = append(os.Environ(), asProgram+"=1", "TMPDIR="+t.TempDir())
	command.Dir = t.TempDir()
	return command
}

// notIgnored lets children die of a hangup where the tests run below nohup: a signal that
// a program ignores its children ignore too, and one that it takes they don't.
var notIgnored = sync.OnceFunc(func() { signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) })

// withFullDisk lets no file of the program grow beyond a few rows of a log.
func withFullDisk(command *exec.Cmd) *exec.Cmd {
	command.Args = append([]string{"sh", "-c", `ulimit -f 4; exec "$0" "$@"`, command.Path}, command.Args[1:]...)
	command.Path = "/bin/sh"
	return command
}

type ended struct {
	code        int
	out, errors string
}

func runChild(t *testing.T, command *exec.Cmd) ended {
	t.Helper()
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return ended{command.ProcessState.ExitCode(), out.String(), errs.String()}
}

// done checks that it came to its end without a failed operation. A busy machine can make
// the figures not valid, and then it says so.
func (e ended) done(t *testing.T) {
	t.Helper()
	if e.code != 0 && !(e.code == exitNotValid && strings.Contains(e.errors, "by the load generator's own fault")) {
		t.Fatalf("exit code %d: %s", e.code, e.errors)
	}
}

// refusal is a command line that makes no sense, and a part of what is said to it.
type refusal struct {
	args []string
	want string
}

// areRefused checks that each ends at once with one sentence.
func areRefused(t *testing.T, commands map[string]refusal) {
	t.Helper()
	for name, c := range commands {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := runChild(t, child(t, c.args...))
			if e.code != exitBadInput || e.out != "" || !strings.Contains(e.errors, c.want) || strings.Count(e.errors, "\n") != 1 {
				t.Errorf("exit code %d, %q and %q; want %q", e.code, e.out, e.errors, c.want)
			}
		})
	}
}

// figure is the value of a line of YCSB's text.
func (e ended) figure(t *testing.T, metric, measurement string) string {
	t.Helper()
	start := "[" + metric + "], " + measurement + ", "
	for line := range strings.Lines(e.out) {
		if value, found := strings.CutPrefix(line, start); found {
			return strings.TrimSpace(value)
		}
	}
	t.Fatalf("no %s in:\n%s", start, e.out)
	return ""
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// workloadOf is YCSB's workloada, so small.
func workloadOf(t *testing.T) string {
	return write(t, "workloada", `# Yahoo! Cloud System Benchmark
recordcount=1000
operationcount=1000
workload=site.ycsb.workloads.CoreWorkload

readallfields=true
readproportion=0.5
updateproportion=0.5
scanproportion=0
insertproportion=0
requestdistribution=zipfian
`)
}

// awaitLine reads until a line has the text.
func awaitLine(t *testing.T, from io.Reader, text string) {
	t.Helper()
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		if strings.Contains(lines.Text(), text) {
			go io.Copy(io.Discard, from) // the program must not wait for a reader
			return
		}
	}
	t.Fatalf("it ended before it wrote %q: %v", text, lines.Err())
}

// leavesNothing checks that an ended program left no temporary file.
func leavesNothing(t *testing.T, command *exec.Cmd) {
	t.Helper()
	for _, setting := range command.Env {
		if dir, found := strings.CutPrefix(setting, "TMPDIR="); found && dir != os.Getenv("TMPDIR") {
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("%v is left in %s, %v", left, dir, err)
			}
		}
	}
}
