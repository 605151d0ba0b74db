//go:build e2e

package e2e

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// tick is the unit of times in /proc: proc(5), sysconf(_SC_CLK_TCK).
const tick = 10 * time.Millisecond

// cores are times of them, all since some moment or those of a second.
type cores struct {
	at        time.Time
	all       time.Duration
	host      time.Duration // what the machine's host took: the kernel's "steal"
	busy      time.Duration // of all processes on it, without what interrupts took
	ours      time.Duration // the cluster's, these tests' and the kernel's own threads'
	oursKnown bool
}

func (c cores) minus(before cores) cores {
	return cores{
		at: c.at, all: c.all - before.all, host: c.host - before.host, busy: c.busy - before.busy,
		ours: c.ours - before.ours, oursKnown: c.oursKnown && before.oursKnown,
	}
}

// others are the processes that aren't ours, less than none where the clocks differ.
func (c cores) others() time.Duration {
	if !c.oursKnown {
		return 0
	}
	return c.busy - c.ours
}

// coreClock reads what the cores did since the machine started.
type coreClock struct{ kernel kernelTime }

func (c *coreClock) read() (now cores, ok bool) {
	const user, nice, system, steal, guest = 0, 1, 2, 7, 8
	now.at = time.Now()
	content, err := os.ReadFile("/proc/stat")
	if err != nil {
		return now, false
	}
	line, _, _ := bytes.Cut(content, []byte("\n"))
	for i, field := range strings.Fields(string(line))[1:] {
		ticks, _ := strconv.ParseInt(field, 10, 64)
		spent := time.Duration(ticks) * tick
		switch i {
		case user, nice, system:
			now.busy += spent
		case steal:
			now.host = spent
		}
		if i < guest { // the guests' time is in the users' as well
			now.all += spent
		}
	}
	cluster, known := clusterTime()
	processes := allProcesses()
	now.ours = cluster + ownTime() + descendantsTime(processes, os.Getpid()) + c.kernel.of(processes)
	now.oursKnown = known
	return now, true
}

// clusterTime is what the local cluster's processes used, which are in a cgroup: with a hierarchy of
// its own where the machine has those of version 1 as well.
func clusterTime() (used time.Duration, known bool) {
	for _, file := range []string{"/sys/fs/cgroup/kvbench/cpu.stat", "/sys/fs/cgroup/unified/kvbench/cpu.stat"} {
		content, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(content)) {
			if micros, ok := strings.CutPrefix(strings.TrimSpace(line), "usage_usec "); ok {
				n, err := strconv.ParseInt(micros, 10, 64)
				return time.Duration(n) * time.Microsecond, err == nil
			}
		}
	}
	return 0, false
}

// ownTime is what this process used, with the programs that it ran and that have ended.
func ownTime() (used time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if syscall.Getrusage(who, &usage) == nil {
			used += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		}
	}
	return used
}
