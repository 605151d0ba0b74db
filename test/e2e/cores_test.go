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

// cores are times of them, all since some moment or those of a second.
type cores struct {
	at    time.Time
	all   time.Duration
	host  time.Duration // what the machine's host took: the kernel's "steal"
	busy  time.Duration // of all processes on it, without what interrupts took
	ours  time.Duration // the cluster's and these tests'
	known bool          // whether ours is
}

// others are the processes that aren't ours. The clocks of both differ by some ticks.
func (c cores) others() time.Duration {
	if !c.known {
		return 0
	}
	return max(0, c.busy-c.ours)
}

// coreTime is all since the machine started: proc_stat(5).
func coreTime() cores {
	const user, nice, system, steal, guest, tick = 0, 1, 2, 7, 8, 10 * time.Millisecond
	now := cores{at: time.Now()}
	content, err := os.ReadFile("/proc/stat")
	if err != nil {
		return now
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
	now.ours, now.known = cluster+ownTime(), known
	return now
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

// ownTime is what these tests used, with the programs that they ran.
func ownTime() (used time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if syscall.Getrusage(who, &usage) == nil {
			used += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		}
	}
	return used
}
