package pace

import (
	"errors"
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
		if err := shorten(id); err != nil && !errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("ask for short time slices: %w", err)
		}
	}
	return nil
}

// shorten leaves the thread's nice value as it is, and threads alone that have no slices.
func shorten(id int) error {
	attributes, err := unix.SchedGetAttr(id, 0)
	if err != nil || attributes.Policy != unix.SCHED_NORMAL {
		return err
	}
	attributes.Size, attributes.Runtime = unix.SizeofSchedAttr, sliceNanos
	return unix.SchedSetAttr(id, attributes, 0)
}
