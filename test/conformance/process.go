package conformance

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Binary finds a store's server, which isn't in this repository, in the folders that the two
// variables name, with colons between them.
func Binary(t testing.TB, name string) string {
	t.Helper()
	for _, variable := range []string{"KVBENCH_BIN_DIR", "KUBEBUILDER_ASSETS"} {
		dirs := os.Getenv(variable)
		for _, dir := range filepath.SplitList(dirs) {
			path := filepath.Join(dir, name)
			if _, err := os.Stat(path); err == nil {
				return path
			}
		}
		t.Logf("%s=%s has no %s", variable, dirs, name)
	}
	t.Fatalf("the server %q is missing: run `make test-integration`, which brings it, or set KVBENCH_BIN_DIR to its folder", name)
	return ""
}

// maxOutput is as much of a server's output as a failed test shows, in bytes: what went wrong may be
// of before its last starts, each of which has lines of its own.
const maxOutput = 64 << 10

// Process is a server that runs until the test's end, or is killed and started again. It ends with
// the test's process, however that ends.
type Process struct {
	Command func() *exec.Cmd
	Forget  func() error // removes its data, where a test does that
	log     strings.Builder
	running *exec.Cmd
}

// Start starts the process; its output is shown if the test fails.
func (p *Process) Start(t testing.TB) {
	t.Helper()
	command := p.Command()
	command.Stdout, command.Stderr = &p.log, &p.log
	if command.SysProcAttr == nil {
		command.SysProcAttr = &syscall.SysProcAttr{}
	}
	command.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if err := command.Start(); err != nil {
		t.Fatalf("start %s: %v", command.Path, err)
	}
	p.running = command
}

// Kill ends the process at once, and returns when it is gone.
func (p *Process) Kill(t testing.TB) {
	t.Helper()
	if p.running == nil {
		return
	}
	if err := p.running.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("kill %s: %v", p.running.Path, err)
	}
	var exit *exec.ExitError
	if err := p.running.Wait(); err != nil && !errors.As(err, &exit) {
		t.Errorf("wait for %s: %v", p.running.Path, err)
	}
	p.running = nil
}

// Freeze stops the process and all that it has made. They answer nothing until they are killed.
func (p *Process) Freeze(t testing.TB) {
	t.Helper()
	for stopped := []int{p.running.Process.Pid}; len(stopped) > 0; stopped = stopped[1:] {
		if err := syscall.Kill(stopped[0], syscall.SIGSTOP); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Errorf("stop %d of %s: %v", stopped[0], p.running.Path, err)
		}
		stopped = append(stopped, childrenOf(t, stopped[0])...)
	}
}

// childrenOf are the processes that the threads of this one have made. A thread that has ended has none.
func childrenOf(t testing.TB, pid int) (children []int) {
	t.Helper()
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range lists {
		content, err := os.ReadFile(list)
		if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, syscall.ESRCH) {
			t.Fatal(err)
		}
		for _, child := range strings.Fields(string(content)) {
			number, err := strconv.Atoi(child)
			if err != nil {
				t.Fatalf("%s: %v", list, err)
			}
			children = append(children, number)
		}
	}
	return children
}

// Signal stops the process, or lets it go on.
func (p *Process) Signal(t testing.TB, signal syscall.Signal) {
	t.Helper()
	if err := p.running.Process.Signal(signal); err != nil {
		t.Errorf("%v for %s: %v", signal, p.running.Path, err)
	}
}

// End kills the process and, when the test has failed, shows the end of its output.
func (p *Process) End(t testing.TB, name string) {
	p.Kill(t)
	if t.Failed() {
		text := p.log.String()
		t.Logf("the end of %s's output:\n%s", name, text[max(0, len(text)-maxOutput):])
	}
}
