package pace

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// sliceNanos is the shortest that Linux gives a thread (sched_setattr(2), kernel/sched/syscalls.c).
const sliceNanos = 100_000

// PreferPromptness asks for short time slices for every thread of this process; threads
// that are made later inherit them. From Linux 6.12 on, a thread with a short slice is
// given a CPU sooner after it wakes, and no more of it in sum: a generator that shares
// its node with the store sends on time, and takes nothing from the store. Older kernels
// take the call and change nothing.
func PreferPromptness() error {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return fmt.Errorf("list this process' threads: %w", err)
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			continue
		}
		attributes := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL, Runtime: sliceNanos}
		if err := unix.SchedSetAttr(id, &attributes, 0); err != nil && err != unix.ESRCH {
			return fmt.Errorf("ask for short time slices: %w", err)
		}
	}
	return nil
}
