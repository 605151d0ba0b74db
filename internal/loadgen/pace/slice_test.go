package pace

import (
	"os"
	"runtime"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

func TestEveryThreadGetsAShortSlice(t *testing.T) {
	if err := PreferPromptness(); err != nil {
		t.Fatal(err)
	}
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			t.Fatal(err)
		}
		got, err := unix.SchedGetAttr(id, 0)
		if err == unix.ESRCH {
			continue // it has ended
		}
		if err != nil {
			t.Fatal(err)
		}
		if got.Policy != unix.SCHED_NORMAL {
			t.Errorf("thread %d has policy %d", id, got.Policy)
		}
		// Kernels before 6.12 have no slice of a thread's own.
		if got.Runtime != sliceNanos && got.Runtime != 0 {
			t.Errorf("thread %d has a slice of %d ns", id, got.Runtime)
		}
	}
}

func TestAShortSliceLeavesTheNiceValue(t *testing.T) {
	runtime.LockOSThread() // and never unlocked: the thread ends with the test
	self := unix.Gettid()
	before, err := unix.SchedGetAttr(self, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Setpriority(unix.PRIO_PROCESS, self, int(before.Nice)+1); err != nil {
		t.Fatal(err)
	}
	if err := PreferPromptness(); err != nil {
		t.Fatal(err)
	}
	after, err := unix.SchedGetAttr(self, 0)
	if err != nil || after.Nice != before.Nice+1 {
		t.Errorf("nice was %d, raised by one, and is %d: %v", before.Nice, after.Nice, err)
	}
}
