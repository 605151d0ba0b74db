package cluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/kvbench/kvbench/hack/localcluster/internal/cgroup"
	"github.com/kvbench/kvbench/hack/localcluster/internal/host"
	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
	"github.com/kvbench/kvbench/hack/localcluster/internal/process"
)

// Remains lists in words what there is of a cluster, whole or not.
func Remains(p layout.Paths) []string {
	var found []string
	if hierarchies, err := cgroup.Mounted(); err == nil && cgroup.Exists(hierarchies, layout.CgroupRoot) {
		found = append(found, fmt.Sprintf("%d processes in the cgroup %s", len(cgroup.Processes(hierarchies, layout.CgroupRoot)), layout.CgroupRoot))
	}
	if links, err := host.Links(); err == nil && len(links) > 0 {
		found = append(found, "interfaces "+strings.Join(links, " "))
	}
	if tables, err := host.Tables(); err == nil && len(tables) > 0 {
		found = append(found, fmt.Sprintf("%d nftables tables", len(tables)))
	}
	if mounts, err := host.Mounts(p.State); err == nil && len(mounts) > 0 {
		found = append(found, fmt.Sprintf("%d mounts", len(mounts)))
	}
	if _, err := os.Stat(p.State); err == nil {
		found = append(found, "the folder "+p.State)
	}
	return found
}

// Clean removes all that there is of a cluster: whole, broken or half made. Each
// step finds its own remains and goes on when another failed.
func Clean(p layout.Paths) error {
	record, err := loadRecord(p)
	if err != nil {
		record = &Record{}
	}
	var failed []error
	do := func(err error) { failed = append(failed, err) }

	for _, name := range process.List(p.Pids()) {
		do(process.Stop(p.Pids(), name, 10*time.Second))
	}
	hierarchies, err := cgroup.Mounted()
	do(err)
	do(cgroup.Kill(hierarchies, layout.CgroupRoot, 20*time.Second))
	// A shim that somebody moved to another cgroup still names our folders.
	do(killShims(p))
	do(cgroup.Remove(hierarchies, layout.CgroupRoot))
	do(host.UnmountBelow(p.State))
	do(host.RemoveLinks())
	do(host.RemoveRules())
	do(host.RestoreSysctls(record.Sysctls))
	host.RemoveMountPoints(record.MountPoints)
	if mounts, _ := host.Mounts(p.State); len(mounts) == 0 {
		do(os.RemoveAll(p.State))
	} else {
		// Deleting through a mount would delete what is mounted.
		do(fmt.Errorf("%s is kept, because mounts are left in it: %s", p.State, strings.Join(mounts, ", ")))
	}
	return errors.Join(failed...)
}

// killShims ends the containerd shims that our containerds started.
func killShims(p layout.Paths) error {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return err
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil || !ourShim(string(content), p) {
			continue
		}
		var pid int
		if _, err := fmt.Sscanf(file, "/proc/%d/cmdline", &pid); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	return nil
}

// ourShim recognises a shim by its program, which lies in our cache, or by a
// root or socket in our state folder.
func ourShim(cmdline string, p layout.Paths) bool {
	args := strings.Split(strings.TrimRight(cmdline, "\x00"), "\x00")
	if filepath.Base(args[0]) != "containerd-shim-runc-v2" {
		return false
	}
	return strings.HasPrefix(args[0], p.Bin()+"/") || strings.Contains(cmdline, p.State+"/")
}
