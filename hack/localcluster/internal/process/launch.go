package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/kvbench/kvbench/hack/localcluster/internal/cgroup"
)

// LaunchCommand is the hidden command that Launch implements.
const LaunchCommand = "launch"

// Launch turns this process into the daemon that Start described. It returns
// only if that failed.
func Launch() error {
	var l launch
	if err := json.Unmarshal([]byte(os.Getenv(launchVariable)), &l); err != nil {
		return fmt.Errorf("this command is for localcluster's own use: %w", err)
	}
	d := l.Daemon
	hierarchies, err := cgroup.Mounted()
	if err != nil {
		return err
	}
	if err := cgroup.Join(hierarchies, d.Cgroup, os.Getpid()); err != nil {
		return err
	}
	if err := raiseFileLimit(); err != nil {
		return err
	}
	// Namespaces belong to a thread; exec makes this one the whole process.
	runtime.LockOSThread()
	switch {
	case len(d.Binds) > 0:
		err = enterNew(d)
	case d.NamespaceOf != 0:
		err = enterOf(d.NamespaceOf)
	}
	if err != nil {
		return err
	}
	if err := os.Unsetenv(launchVariable); err != nil {
		return err
	}
	for _, pair := range d.Env {
		for i := range pair {
			if pair[i] == '=' {
				os.Setenv(pair[:i], pair[i+1:])
				break
			}
		}
	}
	program, err := exec.LookPath(d.Args[0])
	if err != nil {
		return err
	}
	return fmt.Errorf("running %s: %w", program, unix.Exec(program, d.Args, os.Environ()))
}

// enterNew makes a mount namespace. It is cut off from the machine's first, so
// that no mount of a node ever shows outside and all of them end with the
// node's last process; then it is shared within itself, because pods may ask
// for mount propagation.
func enterNew(d Daemon) error {
	if err := unix.Unshare(unix.CLONE_FS | unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("making a mount namespace: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	for _, b := range d.Binds {
		if err := unix.Mount(b.Source, b.Target, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return fmt.Errorf("binding %s over %s: %w", b.Source, b.Target, err)
		}
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SHARED, ""); err != nil {
		return fmt.Errorf("making mounts shared: %w", err)
	}
	return nil
}

// enterOf joins the mount namespace of pid.
func enterOf(pid int) error {
	fd, err := unix.Open(fmt.Sprintf("/proc/%d/ns/mnt", pid), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("finding the mount namespace of process %d: %w", pid, err)
	}
	defer unix.Close(fd)
	return errors.Join(unix.Unshare(unix.CLONE_FS), unix.Setns(fd, unix.CLONE_NEWNS))
}

// raiseFileLimit lets the daemon, and the containers that inherit from it, open
// as many files as the machine allows: a shell's usual 1024 are few for a store.
func raiseFileLimit() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("reading the limit of open files: %w", err)
	}
	limit.Cur = limit.Max
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("raising the limit of open files: %w", err)
	}
	return nil
}
