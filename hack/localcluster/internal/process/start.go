package process

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
)

// Daemon is a process to start.
type Daemon struct {
	Name string
	Args []string
	Env  []string
	// Cgroup it joins before it starts.
	Cgroup string
	// Binds, if any, give it a mount namespace of its own with these in it.
	Binds []layout.Bind
	// NamespaceOf is the pid whose mount namespace it shares, if not 0.
	NamespaceOf int
}

// launch is what Start tells the copy of this program that becomes the daemon.
type launch struct {
	Daemon Daemon
}

const launchVariable = "KVBENCH_LAUNCH"

// Start runs the daemon detached from this command: a session of its own, its
// output in a log file, its identity in a pid file. The program that first runs
// is self, which joins cgroup and namespaces and then becomes the daemon, so
// that the daemon is never outside of them.
func Start(paths layout.Paths, d Daemon) error {
	if id, err := Load(paths.Pids(), d.Name); err == nil && id.Alive() {
		return fmt.Errorf("%s already runs with pid %d", d.Name, id.Pid)
	}
	for _, dir := range []string{paths.Pids(), filepath.Dir(paths.Log(d.Name))} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	log, err := os.OpenFile(paths.Log(d.Name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	instructions, err := json.Marshal(launch{d})
	if err != nil {
		return err
	}
	cmd := exec.Command(paths.Self(), LaunchCommand)
	cmd.Env = append(os.Environ(), launchVariable+"="+string(instructions))
	cmd.Dir = "/"
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", d.Name, err)
	}
	// Reap it if it dies while this command still runs.
	go cmd.Wait()
	id, err := Identify(cmd.Process.Pid)
	if err != nil {
		return fmt.Errorf("%s ended at once, see %s", d.Name, paths.Log(d.Name))
	}
	return id.save(filepath.Join(paths.Pids(), d.Name+".pid"))
}

// Stop ends the named process, if it is the one of the pid file, and forgets it.
func Stop(dir, name string, timeout time.Duration) error {
	id, err := Load(dir, name)
	if err == nil {
		for deadline := time.Now().Add(timeout); id.Alive(); time.Sleep(20 * time.Millisecond) {
			_ = syscall.Kill(id.Pid, syscall.SIGKILL)
			if time.Now().After(deadline) {
				return fmt.Errorf("%s (pid %d) does not end", name, id.Pid)
			}
		}
	}
	if err := os.Remove(filepath.Join(dir, name+".pid")); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

// Dead says why a process that should run doesn't; "" when it does.
func Dead(paths layout.Paths, name string) string {
	id, err := Load(paths.Pids(), name)
	switch {
	case err != nil:
		return name + " was never started"
	case !id.Alive():
		return fmt.Sprintf("%s has ended, see %s", name, paths.Log(name))
	}
	return ""
}
