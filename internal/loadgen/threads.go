package loadgen

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// ownTasks has a folder for each thread of this process.
const ownTasks = "/proc/self/task"

// threads knows how long each thread of the process has waited for a core, by the kernel's
// account (Linux, Documentation/scheduler/sched-stats.rst). The files stay open, so that a
// look takes some microseconds.
type threads struct {
	dir     string
	open    map[string]*thread
	looks   int
	scratch [96]byte
}

type thread struct {
	file   *os.File
	waited time.Duration // in all
}

// looksPerList is how often threads are looked at before new ones are looked for.
const looksPerList = 50

// waited is the longest that one thread has waited for a core since the last look.
func (t *threads) waited() (longest time.Duration, err error) {
	if t.looks%looksPerList == 0 {
		if err := t.list(); err != nil {
			return 0, fmt.Errorf("see how long the threads wait for a core: %w", err)
		}
	}
	t.looks++
	for id, thread := range t.open {
		before := thread.waited
		if err := t.read(thread); err != nil {
			thread.file.Close() // the thread has ended
			delete(t.open, id)
			continue
		}
		longest = max(longest, thread.waited-before)
	}
	if len(t.open) == 0 {
		return 0, errors.New("the kernel doesn't say how long threads wait for a core")
	}
	return longest, nil
}

// list opens the files of new threads.
func (t *threads) list() error {
	entries, err := os.ReadDir(t.dir)
	if err != nil {
		return err
	}
	if t.open == nil {
		t.open = map[string]*thread{}
	}
	for _, entry := range entries {
		id := entry.Name()
		if t.open[id] != nil {
			continue
		}
		file, err := os.Open(filepath.Join(t.dir, id, "schedstat"))
		if err != nil {
			continue // it has ended, or the kernel has no such file
		}
		one := &thread{file: file}
		if err := t.read(one); err != nil {
			file.Close()
			continue
		}
		t.open[id] = one
	}
	return nil
}

func (t *threads) read(one *thread) error {
	n, err := one.file.ReadAt(t.scratch[:], 0)
	if n == 0 {
		return err
	}
	one.waited, err = parseWaited(t.scratch[:n])
	return err
}

func (t *threads) close() {
	for _, thread := range t.open {
		thread.file.Close()
	}
}

// parseWaited reads the second number of "<ran> <waited> <times>", in nanoseconds.
func parseWaited(text []byte) (time.Duration, error) {
	_, text, _ = bytes.Cut(text, []byte{' '})
	text, _, ok := bytes.Cut(text, []byte{' '})
	nanos, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || !ok {
		return 0, fmt.Errorf("scheduler statistics of %q are no time of waiting", text)
	}
	return time.Duration(nanos), nil
}
