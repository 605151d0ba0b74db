//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// process is one of this machine's.
type process struct {
	parent int
	own    time.Duration // what it used itself
	ended  time.Duration // what its children used that have ended
}

// kthreadd is the parent of the kernel's threads, and one of them.
const kthreadd = 2

// allProcesses are those that there are, by their pids.
func allProcesses() map[int]process {
	all := map[int]process{}
	files, _ := filepath.Glob("/proc/[1-9]*/stat")
	for _, file := range files {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		content, unread := os.ReadFile(file) // it may have ended
		if err != nil || unread != nil {
			continue
		}
		if p, ok := readProcess(string(content)); ok {
			all[pid] = p
		}
	}
	return all
}

// readProcess reads a line of proc_pid_stat(5).
func readProcess(line string) (p process, ok bool) {
	const parent, user, system, endedUser, endedSystem = 1, 11, 12, 13, 14 // fields after the name
	fields := strings.Fields(line[strings.LastIndex(line, ")")+1:])        // names have spaces and brackets
	if len(fields) <= endedSystem {
		return process{}, false
	}
	ticks := func(i int) time.Duration {
		n, _ := strconv.ParseInt(fields[i], 10, 64)
		return time.Duration(n) * tick
	}
	p.parent, _ = strconv.Atoi(fields[parent])
	p.own, p.ended = ticks(user)+ticks(system), ticks(endedUser)+ticks(endedSystem)
	return p, true
}

// descendantsTime is what the programs used that a process runs, and that haven't ended.
func descendantsTime(all map[int]process, pid int) (used time.Duration) {
	for child, p := range all {
		if p.parent == pid && child != pid {
			used += p.own + p.ended + descendantsTime(all, child)
		}
	}
	return used
}

// kernelTime adds up what the kernel's threads use, also of those that have ended.
type kernelTime struct {
	last map[int]time.Duration
	used time.Duration
}

func (k *kernelTime) of(all map[int]process) time.Duration {
	now := map[int]time.Duration{}
	for pid, p := range all {
		if pid == kthreadd || p.parent == kthreadd {
			now[pid] = p.own
			k.used += max(0, p.own-k.last[pid])
		}
	}
	k.last = now
	return k.used
}
